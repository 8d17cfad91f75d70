import { isJsonObject, member, type JsonValue } from '@cer/canonical-json';
import { unwrap } from '@cer/cer-core/verify';
import type { Caller } from '../auth/key-directory.js';
import { largeLines } from '../large-work/large-answer.js';
import type { LargeWork } from '../large-work/large-work.js';
import { processLines, type LineBatchDeps } from '../batch/line-batch.js';
import { attest, type AttestUseCaseDeps } from './attest.js';

export interface AttestBatchDeps extends AttestUseCaseDeps, LineBatchDeps {
  /** Absent: large lines are worked on here too. */
  readonly largeWork?: Pick<LargeWork, 'run'> | undefined;
}

/**
 * Attests one submission per line and returns one line `{index, status, body}` each, in order. The result of an item
 * equals that of a single attest; items with the same executionId behave as if sent sequentially.
 * @see docs/spec.md, "POST /api/attest-batch"
 */
export function attestBatch(
  deps: AttestBatchDeps,
  source: AsyncIterable<Uint8Array>,
  caller: Caller,
): AsyncGenerator<string> {
  return processLines(deps, source, {
    holder: caller.tenantId,
    idOf: sealedExecutionId,
    processLarge: largeLines('attest', deps.largeWork, caller),
    process: async (submission, requestId) => (await attest(deps, submission, caller, requestId)).json,
  });
}

function sealedExecutionId(submission: JsonValue): string | null {
  const { bundle } = unwrap(submission);
  const snapshot = bundle === null ? undefined : member(bundle, 'snapshot');
  const id = snapshot !== undefined && isJsonObject(snapshot) ? member(snapshot, 'executionId') : undefined;
  return typeof id === 'string' ? id : null;
}
