import { isUtf8 } from 'node:buffer';
import { ServiceError, zodFaults, type ServiceRequest } from '@cer/http-service';
import type * as z from 'zod';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** One fault of a form, as its page shows it. */
export interface FormFault {
  readonly field: string;
  readonly sentence: string;
}

export type FormOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly FormFault[] };

/**
 * The fields of a form's body.
 * @throws ServiceError VALIDATION_ERROR when it is not UTF-8
 */
export function formFields({ body }: Pick<ServiceRequest, 'body'>): URLSearchParams {
  const text = Buffer.from(body).toString('latin1');
  const fields = new URLSearchParams(text);
  // Percent-decoding puts U+FFFD where bytes are not UTF-8; a user may have typed or pasted it as well.
  if ([...fields.values()].some((value) => value.includes('\ufffd')) && !isUtf8(percentDecoded(text))) {
    throw new ServiceError({ code: 'VALIDATION_ERROR', message: 'The form must be sent as UTF-8.' });
  }
  return fields;
}

/** The bytes of a form's text, whose characters are bytes. */
function percentDecoded(text: string): Buffer {
  const byteOf = (_escape: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
  return Buffer.from(text.replaceAll(/%([0-9a-f]{2})/gi, byteOf), 'latin1');
}

/**
 * Checks fields against a schema.
 * @param labels what the page calls each field
 */
export function checkForm<Schema extends z.ZodType>(
  schema: Schema,
  values: unknown,
  labels: Readonly<Record<string, string>>,
): FormOutcome<z.output<Schema>> {
  const result = schema.safeParse(values);
  if (result.success) return { ok: true, value: result.data };
  const names = new Map(Object.entries(labels));
  const left = new Set(emptyMembers(values));
  const faults = zodFaults(result.error, values).map((fault) => {
    const [, field = '', rule = ''] = /^([A-Za-z_]+)[^:]*: (.*)$/s.exec(fault) ?? [];
    return { field, sentence: `${names.get(field) ?? 'The form'} ${left.has(field) ? 'is missing' : rule}.` };
  });
  // One sentence per field.
  return {
    ok: false,
    faults: faults.filter(({ field }, at) => faults.findIndex((other) => other.field === field) === at),
  };
}

/** Names of the fields that were left empty. */
function emptyMembers(values: unknown): readonly string[] {
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values).flatMap(([name, value]) => (value === '' ? [name] : []));
}
