import type { VerifierName } from '@cer/cer-core/verify';

/** Equal to package.json's, which a test holds. */
export const VERSION = '0.1.0';

/** Name of the verifier in reports. */
export const VERIFIER: VerifierName = `@cer/cli/${VERSION}`;
