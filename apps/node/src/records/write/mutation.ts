import { ServiceError } from '@cer/http-service';
import type { CertificateRecord, ExecutionRow } from '../../store/index.js';

/** 409: this executionId permanently identifies other content. @see docs/spec.md, "Idempotency" */
export function executionMutated(): ServiceError {
  return new ServiceError({
    code: 'EXECUTION_MUTATION_DETECTED',
    message: 'executionId: already identifies other content; use a new executionId or resubmit identical content',
  });
}

/**
 * 409: nothing mutated, but the record of this content was removed by an administrator or by retention, and a removed
 * record is never restored. @see docs/spec.md, "Idempotency"
 */
export function recordRemoved(): ServiceError {
  return new ServiceError({
    code: 'RECORD_REMOVED',
    message: 'record removed: the content is the same, but it is not certified again',
  });
}

/** The record that a repeated request replays. */
export function recordToReplay(
  existing: ExecutionRow,
  record: CertificateRecord | null,
  submittedCertificateHash: string,
): CertificateRecord {
  if (existing.certificateHash !== submittedCertificateHash) throw executionMutated();
  if (record === null) throw recordRemoved();
  return record;
}
