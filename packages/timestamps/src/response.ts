import { TimeStampResp, PKIStatus } from '@peculiar/asn1-tsp';
import { childrenOf, readDer } from './der.js';
import { parse } from './certificate.js';
import { MAX_TOKEN_BYTES } from './token.js';
import { malformed, TimestampError } from './timestamp-error.js';

/** Maximum size of an authority's response, in bytes: a token, a status and its text. */
export const MAX_RESPONSE_BYTES = MAX_TOKEN_BYTES + 4096;

/**
 * Extracts the token from an authority's response. `verifyTimestampToken` verifies the token.
 * @returns the DER of the token
 * @throws TimestampError TIMESTAMP_REFUSED when the authority refuses, TIMESTAMP_TOO_LARGE, TIMESTAMP_MALFORMED
 */
export function parseTimestampResponse(bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_RESPONSE_BYTES) {
    throw new TimestampError('TIMESTAMP_TOO_LARGE', `response: must have at most ${MAX_RESPONSE_BYTES} bytes`);
  }
  const [, token] = childrenOf(readDer(bytes));
  const { status } = parse(bytes, TimeStampResp, 'response').status;
  if (status !== PKIStatus.granted && status !== PKIStatus.grantedWithMods) {
    throw new TimestampError('TIMESTAMP_REFUSED', `response.status: the authority refused with ${status}`);
  }
  if (token === undefined) throw malformed('response: is granted but has no token');
  return token.whole.slice();
}
