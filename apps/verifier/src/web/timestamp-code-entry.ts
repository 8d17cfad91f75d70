/** The reader of RFC 3161 tokens as a file of its own. */
export { createTimestampVerifier, NO_ROOTS, parseTsaRoots } from '@cer/timestamps';
