import type * as z from 'zod';

/** A variable of a service, as its operator reads it. */
export interface VariableDescription {
  readonly name: string;
  readonly meaning: string;
  /** Whether the service does not start without it. */
  readonly required: boolean;
  /** The value by default, as written in the environment; undefined for none. */
  readonly byDefault: string | undefined;
}

/** Describes the variables of a schema, in its order. @throws Error for one without a description */
export function describeVariables({
  shape,
}: z.ZodObject<Readonly<Record<string, z.ZodType>>>): readonly VariableDescription[] {
  return Object.entries(shape).map(([name, schema]) => {
    if (schema.description === undefined) throw new Error(`${name} has no description`);
    const { success, data } = schema.safeParse(undefined);
    const byDefault = success && data !== undefined ? asWritten(schema, data) : undefined;
    return { name, meaning: schema.description, required: !success, byDefault };
  });
}

/** The text that the schema reads as a value. */
function asWritten(schema: z.ZodType, value: unknown): string | undefined {
  if (typeof value !== 'boolean') return String(value);
  return ['1', '0', 'true', 'false'].find((text) => schema.safeParse(text).data === value);
}
