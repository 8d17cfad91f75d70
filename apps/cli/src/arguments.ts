import { parseArgs } from 'node:util';
import { isNativeError } from 'node:util/types';
import { printable } from './printable.js';
import { UsageError } from './usage-error.js';

/** Flags by name: boolean ones take no value, string ones take one. */
export type FlagSpec = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>;

type FlagValues<Spec extends FlagSpec> = {
  readonly [Name in keyof Spec]?: Spec[Name]['type'] extends 'boolean' ? boolean : string;
};

/** The rest of a command line after the command's name. */
export interface Arguments<Spec extends FlagSpec> {
  readonly flags: FlagValues<Spec>;
  readonly operands: readonly string[];
}

/**
 * Reads a command's arguments. Flags may appear anywhere; `--` ends them; `-` alone is an operand.
 * @throws UsageError for an unknown flag or one without its value
 */
export function readArguments<const Spec extends FlagSpec>(args: readonly string[], spec: Spec): Arguments<Spec> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: { ...spec }, allowPositionals: true });
    return { flags: values, operands: positionals };
  } catch (error) {
    // The first sentence names the fault; the others are advice for programmers.
    const [sentence = ''] = isNativeError(error) ? error.message.split(/[.\n](?:\s|$)/) : [];
    throw new UsageError(printable(sentence), { seesHelp: true });
  }
}

/** @throws UsageError unless there is exactly one operand */
export function onlyOperand(operands: readonly string[], what: string): string {
  const [first, ...more] = operands;
  if (first === undefined) throw new UsageError(`${what} is missing`, { seesHelp: true });
  if (more.length > 0)
    throw new UsageError(`exactly one ${what} is expected, ${operands.length} were given`, { seesHelp: true });
  return first;
}

/** The value of a flag that a command cannot do without. @throws UsageError without one */
export function required(flag: string | undefined, name: string): string {
  if (flag === undefined || flag === '') throw new UsageError(`${name} is missing`, { seesHelp: true });
  return flag;
}
