import * as z from 'zod';

const MAX_NAME_CHARACTERS = 100;
const MAX_EMAIL_CHARACTERS = 254;

/** Control characters, lone surrogates, line separators and characters that change the direction of text. */
const NOT_PLAIN = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A name of a person, a tenant, a plan or a key. */
export const PlainName = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME_CHARACTERS)
  .refine((name) => !NOT_PLAIN.test(name), { error: 'must be plain text on one line' });

/** In lower case, so that an address has one account at most. */
export const EmailAddress = z
  .string()
  .trim()
  .toLowerCase()
  // Aborts: matching takes time that is quadratic in the length, and anyone may send an address.
  .max(MAX_EMAIL_CHARACTERS, { abort: true })
  .refine((email) => /^[^\s@<>"',;:\\()[\]]+@[^\s@<>"',;:\\()[\]]+\.[^\s@<>"',;:\\()[\]]+$/.test(email), {
    error: 'must be an address such as name@example.org',
  })
  .refine((email) => !NOT_PLAIN.test(email), { error: 'must be plain text' });
