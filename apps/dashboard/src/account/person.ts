import { z } from 'zod';

const MAX_NAME_CHARACTERS = 100;
const MAX_EMAIL_CHARACTERS = 254;

/** Control characters, half characters, and those that turn the direction of the text around them. */
const UNSEEMLY = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A name of a person, a tenant, a plan or a key. */
export const PlainName = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME_CHARACTERS)
  .refine((name) => !UNSEEMLY.test(name), { error: 'must be plain text on one line' });

/** Kept in lower case, so that nobody has two accounts at one address. */
export const EmailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(MAX_EMAIL_CHARACTERS)
  .refine((email) => /^[^\s@<>"',;:\\()[\]]+@[^\s@<>"',;:\\()[\]]+\.[^\s@<>"',;:\\()[\]]+$/.test(email), {
    error: 'must be an address such as name@example.org',
  })
  .refine((email) => !UNSEEMLY.test(email), { error: 'must be plain text' });
