import { verifyLines, type SignatureLine } from '../note/signed-note.js';
import type { SignedCheckpoint } from '../note/checkpoint.js';
import type { LogPolicy } from '../policy/policy.js';
import { TlogError } from '../tlog-error.js';

/** The verdict of a policy on the signatures of a checkpoint. */
export type CheckpointVerdict =
  | { readonly status: 'signed'; readonly witnesses: readonly CosignedBy[]; readonly isQuorumMet: boolean }
  | { readonly status: 'refused'; readonly code: 'LOG_UNKNOWN' | 'LOG_SIGNATURE_INVALID' };

/** A witness of the policy, and when it cosigned: seconds since 1970, ascending, each once. */
export interface CosignedBy {
  readonly name: string;
  readonly times: readonly number[];
}

/** Judges the signatures of a checkpoint by a policy. Lines of keys that the policy does not name count for nothing. */
export async function judgeCheckpoint(checkpoint: SignedCheckpoint, policy: LogPolicy): Promise<CheckpointVerdict> {
  const logKeys = policy.logs.map(({ key }) => key).filter(({ name }) => name === checkpoint.origin);
  const isOfLog = ({ name, keyId }: SignatureLine): boolean =>
    logKeys.some((key) => key.name === name && key.id === keyId);
  if (!checkpoint.note.lines.some(isOfLog)) return { status: 'refused', code: 'LOG_UNKNOWN' };
  const known = [...logKeys, ...policy.witnesses.map(({ key }) => key)];
  let lines;
  try {
    lines = await verifyLines(checkpoint.note, known);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    return { status: 'refused', code: 'LOG_SIGNATURE_INVALID' };
  }
  const witnesses = policy.witnesses.flatMap(({ name, key }) => {
    const times = lines.flatMap((line) => (line.key === key && line.time !== null ? [line.time] : []));
    return times.length === 0 ? [] : [{ name, times: [...new Set(times)].sort((one, other) => one - other) }];
  });
  const isQuorumMet = policy.isMet(new Set(witnesses.map(({ name }) => name)));
  return { status: 'signed', witnesses, isQuorumMet };
}

/**
 * The moment by which a quorum had cosigned, from the earliest cosignature on; null where the policy asks for none.
 * @returns seconds since 1970
 */
export function quorumReachedAt(witnesses: readonly CosignedBy[], policy: LogPolicy): number | null {
  return quorumTime(
    witnesses,
    policy,
    (times) => Math.min(...times),
    (one, other) => one - other,
  );
}

/**
 * The latest moment after which a quorum cosigned, from the latest cosignature down; null where the policy asks for none.
 * @returns seconds since 1970
 */
export function quorumCosignedAfter(witnesses: readonly CosignedBy[], policy: LogPolicy): number | null {
  return quorumTime(
    witnesses,
    policy,
    (times) => Math.max(...times),
    (one, other) => other - one,
  );
}

function quorumTime(
  witnesses: readonly CosignedBy[],
  policy: LogPolicy,
  pick: (times: readonly number[]) => number,
  order: (one: number, other: number) => number,
): number | null {
  const counted = new Set<string>();
  if (policy.isMet(counted)) return null;
  const marks = witnesses
    .map(({ name, times }) => ({ name, time: pick(times) }))
    .sort((one, other) => order(one.time, other.time));
  for (const { name, time } of marks) {
    counted.add(name);
    if (policy.isMet(counted)) return time;
  }
  return null;
}
