import { REQUEST_DEPTH } from '@cer/cer-core/seal';
import { isJsonObject, member, type JsonValue } from '@cer/canonical-json';
import type { Caller } from '../auth/key-directory.js';
import { largeLines } from '../large-work/large-answer.js';
import type { LargeWork } from '../large-work/large-work.js';
import { processLines, type LineBatchDeps } from '../batch/line-batch.js';
import { certify, type CertifyDeps } from './certify.js';

export interface CertifyBatchDeps extends CertifyDeps, LineBatchDeps {
  /** Absent: large lines are worked on here too. */
  readonly largeWork?: Pick<LargeWork, 'run'> | undefined;
}

/**
 * Certifies one request per line and returns one line `{index, status, body}` each, in order. The result of an item
 * equals that of a single certify; items with the same executionId behave as if sent sequentially.
 * @see docs/spec.md, "POST /v1/cer/ai/certify-batch"
 */
export function certifyBatch(
  deps: CertifyBatchDeps,
  source: AsyncIterable<Uint8Array>,
  caller: Caller,
): AsyncGenerator<string> {
  return processLines(deps, source, {
    holder: caller.tenantId,
    maxDepth: REQUEST_DEPTH,
    idOf: statedExecutionId,
    processLarge: largeLines('certify', deps.largeWork, caller),
    process: async (request, requestId) => (await certify(deps, request, caller, requestId)).json,
  });
}

function statedExecutionId(request: JsonValue): string | null {
  const id = isJsonObject(request) ? member(request, 'executionId') : undefined;
  return typeof id === 'string' ? id : null;
}
