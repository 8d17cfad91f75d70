import { generateSecret, generateURI, verifySync } from 'otplib';

const PERIOD_S = 30;
const ISSUER = 'Execution Certification';

/** 160 random bits, base32. */
export function newTotpSecret(): string {
  return generateSecret();
}

/** The URI that an authenticator app reads from the QR code. */
export function totpAddress(secret: string, email: string): string {
  return generateURI({ issuer: ISSUER, label: email, secret });
}

/** Six digits, as an authenticator app shows them; people type a space between them. @returns null for anything else */
export function sixDigits(text: string): string | null {
  const digits = text.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(digits) ? digits : null;
}

/**
 * Checks a code of the current time step, or of one beside it (RFC 6238, "Validation and Time-Step Size").
 * @returns the time step of the code; null for a wrong code
 */
export function stepOfCode(secret: string, digits: string, now: Date): number | null {
  const epoch = Math.floor(now.getTime() / 1000);
  const result = verifySync({ secret, token: digits, epoch, epochTolerance: PERIOD_S });
  if (!result.valid) return null;
  return Math.floor(epoch / PERIOD_S) + result.delta;
}
