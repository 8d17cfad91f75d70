import { compareTimestamps, parseTimestamp, type KeyEntry, type Timestamp } from '@cer/keys';
import type { SoundTimestamp } from './timestamp-verifier.js';

/** Why a receipt under a revoked key is still accepted: a third party timestamped it while the key was valid. */
export interface KeyRescue {
  readonly kid: string;
  readonly revocationReason: string | null;
  /** Which time of the key the timestamp precedes. */
  readonly before: 'compromisedSince' | 'revokedAt';
  /** That time, as the key set has it. */
  readonly limit: string;
  readonly genTime: string;
  /** Nanoseconds. */
  readonly accuracy: number;
  readonly provider: string;
}

/** Which time of a revoked key a timestamp must precede; null: no timestamp helps. */
type Limit = Pick<KeyRescue, 'before' | 'limit'>;

export type RescueOutcome = { readonly rescue: KeyRescue } | { readonly rescue: null; readonly detail: string };

/**
 * Does a timestamp prove that a receipt was signed while its key, revoked since, was still valid?
 * @param timestamps verified timestamps over the receipt and its signature; those over content alone do not prove signing
 * @see docs/spec.md, "External timestamps"
 */
export function rescueKey(entry: KeyEntry, timestamps: readonly SoundTimestamp[]): RescueOutcome {
  const limit = limitOf(entry);
  if (limit === null) {
    const detail =
      entry.revocationReason === 'keyCompromise'
        ? 'names a key that was revoked as compromised, since when is not known, so no timestamp can help'
        : 'names a key that was revoked, when is not known, so no timestamp can help';
    return { rescue: null, detail };
  }
  const end = parseTimestamp(limit.limit);
  const timestamp = timestamps.find((candidate) => {
    const latest = latestTimeOf(candidate);
    return end !== null && latest !== null && compareTimestamps(latest, end) < 0;
  });
  if (timestamp === undefined) {
    const detail = `names a key that was revoked, and no verified timestamp over the receipt lies before its ${limit.before}`;
    return { rescue: null, detail };
  }
  const { genTime, accuracy, provider } = timestamp;
  const { kid, revocationReason = null } = entry;
  return { rescue: { kid, revocationReason, ...limit, genTime, accuracy, provider } };
}

function limitOf({ compromisedSince, revokedAt, revocationReason }: KeyEntry): Limit | null {
  if (compromisedSince !== undefined) return { before: 'compromisedSince', limit: compromisedSince };
  if (revocationReason === 'keyCompromise' || revokedAt === undefined) return null;
  return { before: 'revokedAt', limit: revokedAt };
}

const NANOSECONDS = 1_000_000_000;

/** genTime and accuracy together: the receipt existed then at the latest. */
function latestTimeOf({ genTime, accuracy }: SoundTimestamp): Timestamp | null {
  const time = parseTimestamp(genTime);
  if (time === null) return null;
  const nanoseconds = time.nanoseconds + (accuracy % NANOSECONDS);
  return {
    epochSeconds: time.epochSeconds + Math.floor(accuracy / NANOSECONDS) + Math.floor(nanoseconds / NANOSECONDS),
    nanoseconds: nanoseconds % NANOSECONDS,
  };
}
