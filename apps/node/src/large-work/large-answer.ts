import { jsonText, type ServiceResponse } from '@cer/http-service';
import { certificateHeaders, replayHeaders } from '../records/response-headers.js';
import type { Caller } from '../auth/key-directory.js';
import type { LargeAnswer, LargeJobKind } from './large-job.js';
import type { LargeWork } from './large-work.js';

const utf8 = new TextDecoder();

/** The 200 of a job, with the headers that the same answer has without one. */
export function largeResponse({ json, certificateHash, isReplay }: LargeAnswer): ServiceResponse {
  const headers = certificateHash === null ? replayHeaders(isReplay) : certificateHeaders(certificateHash, isReplay);
  return { ...jsonText(200, '', headers), body: json };
}

/** Processes the large lines of a batch in threads; undefined without threads. */
export function largeLines(
  kind: LargeJobKind,
  largeWork: Pick<LargeWork, 'run'> | undefined,
  caller: Caller,
): ((line: Uint8Array, requestId: string) => Promise<string>) | undefined {
  if (largeWork === undefined) return undefined;
  return async (body, requestId) => utf8.decode((await largeWork.run(kind, { body, requestId }, caller)).json);
}
