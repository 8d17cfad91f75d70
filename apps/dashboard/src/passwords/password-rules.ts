import * as z from 'zod';

export const MIN_PASSWORD_CHARACTERS = 12;
const MAX_PASSWORD_CHARACTERS = 200;

/** Only the length is checked, not the kinds of characters. */
export const NewPassword = z
  .string()
  .min(MIN_PASSWORD_CHARACTERS)
  .max(MAX_PASSWORD_CHARACTERS)
  .refine((password) => new Set(password).size >= 5, { error: 'must have at least five different characters' });

/** A password typed to sign in: only its length is bounded. */
export const GivenPassword = z.string().min(1).max(MAX_PASSWORD_CHARACTERS);
