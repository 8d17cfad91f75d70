import type { PlanLimits } from '@cer/control-plane';
import { untraced, type Trace } from '@cer/http-service/process';
import type { Quota } from '../../limits/quota.js';
import type { NewRecord, RecordOutcome, RecordStore } from '../../store/index.js';

export interface RecordDeps {
  readonly records: Pick<RecordStore, 'expectRecord' | 'recordOnce' | 'findExecution' | 'findOwnByHash'>;
  readonly quota: Pick<Quota, 'admit'>;
  /** Unset: nothing is traced. */
  readonly trace?: Trace | undefined;
}

/**
 * Writes the row of a certificate, within the monthly quota of its tenant, and has it counted there. Resolves when the
 * row is durable, or when an earlier one of the same execution was found.
 * @throws ServiceError QUOTA_EXCEEDED when it would be a new one, beyond the limit; StoreError as `recordOnce`
 */
export function recordExecution(
  { records, quota, trace = untraced }: RecordDeps,
  record: NewRecord,
  limits: PlanLimits | undefined,
): Promise<RecordOutcome> {
  return trace('store commit', {}, async (note) => {
    const outcome = await quota.admit(record.tenantId, limits, {
      write: () => records.recordOnce(record),
      recordedBefore: () => findRecorded(records, record),
    });
    note({ 'cer.replay': !outcome.recorded });
    return outcome;
  });
}

async function findRecorded(
  records: RecordDeps['records'],
  { tenantId, executionId, certificateHash, kind }: NewRecord,
): Promise<RecordOutcome | null> {
  if (executionId === null) {
    const record = await records.findOwnByHash(tenantId, certificateHash, kind);
    return record === null ? null : { recorded: false, existing: null, record };
  }
  const found = await records.findExecution(tenantId, executionId);
  return found === null ? null : { recorded: false, existing: found.execution, record: found.record };
}
