import { randomUUID } from 'node:crypto';
import { ServiceError } from '@cer/http-service';
import { html, type Html } from '@cer/pages';
import { StoreError } from '@cer/sql-store';
import * as z from 'zod';
import { tokenHash } from '../account/random-token.js';
import type { UsedChallenge } from '../store/index.js';

/** The id of a form that makes nothing with an id. */
export const FORM_ID = 'form_id';
/** Time for which a sent form is known, in ms: its session ends before. */
const KNOWN_MS = 7 * 24 * 60 * 60_000;

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

/** @returns the form that was sent; undefined for a program that sends no id */
export function sentForm(fields: URLSearchParams, now: Date): UsedChallenge | undefined {
  const id = newIdOf(fields, FORM_ID);
  return id === undefined ? undefined : knownForm(id, now);
}

/** @param id that no other form has */
export function knownForm(id: string, now: Date): UsedChallenge {
  return { challengeHash: tokenHash(id), expiresAt: new Date(now.getTime() + KNOWN_MS) };
}

/**
 * Makes what a form asks for.
 * @param made the end of the refusal's first sentence, and what to do
 * @param isThere whether a row of the form's id is there already; asked when a row was refused, which by default has no
 *   other reason
 * @throws ServiceError VALIDATION_ERROR for a form that was sent before
 */
export async function makeOnce<Made>(
  make: () => Promise<Made>,
  made: string,
  isThere = async (): Promise<boolean> => true,
): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    const isRefused = error instanceof StoreError && error.code === 'STORE_ROW_REFUSED';
    if (!isRefused || !(await isThere())) throw error;
    throw sentBefore(made);
  }
}

export function sentBefore(made: string): ServiceError {
  return new ServiceError({ code: 'VALIDATION_ERROR', message: `This form was sent before and ${made}` });
}
