import { randomUUID } from 'node:crypto';
import { ServiceError } from '@cer/http-service';
import { html, type Html } from '@cer/pages';
import { StoreError } from '@cer/sql-store';
import { z } from 'zod';

/** A form sent twice makes one thing, so the id of that is made with the form. */
export function newIdField(name: string): Html {
  return html`<input type="hidden" name="${name}" value="${randomUUID()}" />`;
}

/**
 * @returns the UUID that the form has made; undefined for a program that sends none and makes one thing a request
 * @throws ServiceError VALIDATION_ERROR for another id
 */
export function newIdOf(fields: URLSearchParams, name: string): string | undefined {
  const id = fields.get(name);
  if (id === null) return undefined;
  if (z.uuid().safeParse(id).success) return id;
  throw new ServiceError({
    code: 'VALIDATION_ERROR',
    message: 'The form is out of date: go back, reload it and send it again.',
  });
}

/**
 * Makes what a form asks for.
 * @param isThere whether a row of the form's id is there already
 * @param made the end of the refusal's first sentence, and what to do
 * @throws ServiceError VALIDATION_ERROR for a form that was sent before
 */
export async function makeOnce(
  make: () => Promise<unknown>,
  isThere: () => Promise<boolean>,
  made: string,
): Promise<void> {
  try {
    await make();
  } catch (error) {
    const isRefused = error instanceof StoreError && error.code === 'STORE_ROW_REFUSED';
    if (!isRefused || !(await isThere())) throw error;
    throw sentBefore(made);
  }
}

export function sentBefore(made: string): ServiceError {
  return new ServiceError({ code: 'VALIDATION_ERROR', message: `This form was sent before and ${made}` });
}
