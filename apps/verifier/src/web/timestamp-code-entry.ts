/** The reader of RFC 3161 tokens as a separate file. */
export { createTimestampVerifier, NO_ROOTS, parseTsaRoots } from '@cer/timestamps';
