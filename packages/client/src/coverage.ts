import type { JsonMembers } from './json.js';
import { seal, type Sealed } from './seal/seal.js';
import type { Stats } from './stats.js';
import { uuidV7 } from './uuid-v7.js';

/** The provider and the model of a report in certificates. */
const PROVIDER = '@cer/client';
const MODEL = 'coverage';

/** The counts of one client, sealed again and again: each report names the one before. */
export interface Coverage {
  /**
   * Seals a report, which counts as made when it is stored.
   * @param isLast whether the client closes
   * @returns what `store` returns
   * @throws SealError when the counts cannot be sealed
   */
  report(stats: Stats, isLast: boolean, store: (sealed: Sealed) => boolean): boolean;
}

/**
 * Reports of the calls that a client saw, with or without a certificate. Counts are since the start of the client, so a
 * missing report hides nothing that a later one does not show.
 */
export function createCoverage(appId: string): Coverage {
  const clientId = uuidV7(Date.now());
  const startedAt = new Date().toISOString();
  let reports = 0;
  let previous: string | null = null;
  return {
    report: (stats, isLast, store) => {
      const now = new Date();
      const counts = countsOf(stats);
      const sealed = seal({
        executionId: uuidV7(now.getTime()),
        protocolVersion: '1.3.0',
        provider: PROVIDER,
        model: MODEL,
        appId,
        input: { clientId, startedAt },
        output: counts,
        createdAt: now.toISOString(),
        timestamp: now.toISOString(),
        signals: [
          {
            type: MODEL,
            source: PROVIDER,
            payload: { clientId, startedAt, report: reports + 1, previous, isLast, ...counts },
          },
        ],
      });
      if (!store(sealed)) return false;
      reports += 1;
      previous = sealed.certificateHash;
      return true;
    },
  };
}

/** @see docs/clients.md, "Is anything missing?" */
function countsOf(stats: Stats): JsonMembers {
  const { seen, open, sealed, skipped, unsealed, dropped, attested, waiting, dead, torn, outcomes } = stats;
  return { seen, open, sealed, skipped, unsealed, dropped, outcomes: { ...outcomes }, attested, waiting, dead, torn };
}
