/**
 * RFC 3161 timestamp tokens: request, parse, verify; alone or in an RFC 6962 batch. No network; runs in Node and in
 * browsers.
 */
export {
  formatTimestampRequest,
  TIMESTAMP_QUERY_TYPE,
  TIMESTAMP_REPLY_TYPE,
  type TimestampRequest,
} from './request.js';
export { MAX_RESPONSE_BYTES, parseTimestampResponse } from './response.js';
export { NO_ROOTS, parseTsaRoots, type TsaRoots } from './roots.js';
export { TimestampError, type TimestampErrorCode } from './timestamp-error.js';
export { createTimestampVerifier } from './verifier.js';
export { verifyTimestampToken, type TokenTime, type TokenChecks, type TokenOutcome } from './verify-token.js';
