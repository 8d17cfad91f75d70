import * as z from 'zod';

const MAX_BASE64URL = 32_768;
const MAX_TRANSPORTS = 10;
const base64url = z
  .string()
  .max(MAX_BASE64URL)
  .regex(/^[A-Za-z0-9_-]+$/);

/** Credential ids have 1023 bytes at most. */
const credentialId = base64url.max(1364);

const Attested = z.object({
  id: credentialId,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(MAX_TRANSPORTS)
      .default([]),
  }),
});

const Asserted = z.object({
  id: credentialId,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url,
  }),
});

/** A new credential, as `assets/passkeys.js` sends it. @returns null for anything else */
export const attestedIn = (text: string): z.output<typeof Attested> | null => parsed(Attested, text);

/** The answer of a discoverable credential, which names its user. @returns null for anything else */
export const assertedIn = (text: string): z.output<typeof Asserted> | null => parsed(Asserted, text);

function parsed<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const result = schema.safeParse(value);
  return result.success ? result.data : null;
}
