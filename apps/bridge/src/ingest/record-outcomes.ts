import type { Logger } from '@cer/http-service/process';
import type { UsageReports } from '../control-plane/usage-reports.js';
import type { Source, Ingest, IngestStore } from '../store/index.js';
import type { CertifyDeps } from './certify-batch.js';
import type { Outcome } from './item.js';

/** Maximum rows stored per batch and outcome, for the pages; the counts cover all. */
const SHOWN_OF_A_KIND = 50;
const MAX_LABEL = 256;
const MAX_REASON = 1000;

export interface RecordDeps {
  readonly ingests: IngestStore;
  readonly usage: Pick<UsageReports, 'add'>;
  readonly refusals: Pick<UsageReports, 'add'>;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Returns a function that records the outcomes of batches for the pages and for the account's usage. */
export function outcomeRecorder(
  { ingests, usage, refusals, logger, now }: RecordDeps,
  source: Source,
): CertifyDeps['record'] {
  return async ({ tenantId }, outcomes) => {
    const certified = outcomes.filter(({ ok }) => ok);
    const refused = outcomes.filter((outcome) => !outcome.ok);
    usage.add(tenantId, certified.length);
    refusals.add(tenantId, refused.filter(({ isUnsent }) => isUnsent === true).length);
    const at = now().toISOString();
    const shown = [...certified.slice(-SHOWN_OF_A_KIND), ...refused.slice(-SHOWN_OF_A_KIND)];
    const rows = shown.map((outcome) => ingestOf(outcome, source, at));
    try {
      await ingests.record(tenantId, rows, { certified: certified.length, refused: refused.length });
    } catch (error) {
      // The certificates exist whether or not a page can list them.
      logger.warn({ err: error }, 'ingests not listed');
    }
  };
}

function ingestOf(outcome: Outcome, source: Source, at: string): Ingest {
  const label = {
    at,
    source,
    executionId: shownLabel(outcome.executionId),
    provider: shownLabel(outcome.provider),
    model: shownLabel(outcome.model),
  };
  if (outcome.ok) {
    const { certificateHash, verificationUrl } = outcome;
    return {
      ...label,
      outcome: 'certified',
      status: 200,
      certificateHash,
      verificationUrl,
      submittedHash: null,
      reason: null,
    };
  }
  const { refusal, conflict } = outcome;
  return {
    ...label,
    outcome: 'refused',
    status: refusal.status,
    certificateHash: conflict?.existing ?? null,
    submittedHash: conflict?.submitted ?? null,
    verificationUrl: null,
    reason: refusal.error.slice(0, MAX_REASON),
  };
}

/** A label of unknown origin, truncated and without the characters that a database or a page cannot hold. */
function shownLabel(text: string | null): string | null {
  return text === null
    ? null
    : text.slice(0, MAX_LABEL).replace(/[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/gu, '\ufffd');
}
