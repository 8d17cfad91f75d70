import * as z from 'zod';

/** A SHA-256 digest as the page gives it: 64 lower-case hex digits. */
export const HexDigest = z.string().regex(/^[0-9a-f]{64}$/);
