import { createHash, randomInt } from 'node:crypto';

const CODES = 10;
/** 80 random bits: too many to guess, also from the stored hash. */
const CHARACTERS = 16;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Codes that are shown once, each in place of one code of the authenticator app. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODES }, () => {
    const code = Array.from({ length: CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
    return code.replaceAll(/(.{4})(?=.)/g, '$1-');
  });
}

/** The stored form: SHA-256 of user and code, 64 hex digits. @returns null for a text that is not such a code */
export function recoveryCodeHash(userId: string, text: string): string | null {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, '');
  if (!/^[a-z2-7]{16}$/.test(code)) return null;
  return createHash('sha256').update(`${userId}\n${code}`).digest('hex');
}
