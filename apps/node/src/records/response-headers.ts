import type { ResponseHeaders } from '@cer/http-service';

const CERTIFICATE_HASH = 'x-certificate-hash';
const IDEMPOTENT_REPLAY = 'x-idempotent-replay';

/** The certificate's hash, and whether the response is a replay. */
export function certificateHeaders(certificateHash: string, isReplay = false): ResponseHeaders {
  return isReplay
    ? { [CERTIFICATE_HASH]: certificateHash, [IDEMPOTENT_REPLAY]: 'true' }
    : { [CERTIFICATE_HASH]: certificateHash };
}

export function replayHeaders(isReplay: boolean): ResponseHeaders {
  return isReplay ? { [IDEMPOTENT_REPLAY]: 'true' } : {};
}
