import type { JsonValue } from '@cer/canonical-json';
import { receiptDigest, type LeafLabel } from '../leaf/leaf.js';
import { leafHashOfOpening, parseOpening, type Opening } from '../leaf/opening.js';
import { verifyInclusion } from '../merkle/verify.js';
import { parseCheckpoint, type SignedCheckpoint } from '../note/checkpoint.js';
import type { LogPolicy } from '../policy/policy.js';
import { TlogError } from '../tlog-error.js';
import { judgeCheckpoint, quorumCosignedAfter, quorumReachedAt } from './judge-checkpoint.js';
import { parseTlogProof, type TlogProof } from './tlog-proof.js';

/** Codes of a log proof, in the order in which the first that applies is reported. */
export type LogCode =
  | 'LOG_PROOF_MISSING'
  | 'LOG_PROOF_MALFORMED'
  | 'LOG_UNKNOWN'
  | 'LOG_SIGNATURE_INVALID'
  | 'LOG_INCLUSION_INVALID'
  | 'LOG_LABEL_MISMATCH'
  | 'LOG_QUORUM_NOT_MET'
  | 'LOG_TIME_CONFLICT'
  | 'LOG_BACKDATED'
  | 'LOG_LATE';

/** A proof as a package carries it. */
export interface LogProofText {
  readonly proof: string;
  /** A checkpoint whose witnesses had not seen the leaf. */
  readonly notBefore?: string | null;
}

/** The trusted state that a proof is checked against. */
export interface LogProofSubject {
  readonly receipt: JsonValue;
  readonly signature: string;
  /** The receipt's time, in seconds since 1970. */
  readonly receiptSeconds: number;
  /** Compares the label of an owner's opening with receipt and bundle; absent where there is nothing to compare with. */
  readonly isLabelRight?: (label: LeafLabel) => boolean;
}

/** The verdict on a receipt's log proof. */
export interface LogVerdict {
  readonly status: 'included' | 'invalid' | 'unknown-log';
  /** Null when included without remark. `LOG_LATE` is a remark on an included receipt. */
  readonly code: LogCode | null;
  readonly origin: string | null;
  readonly index: number | null;
  readonly treeSize: number | null;
  /** Seconds since 1970 after and by which independent witnesses place the receipt; null where nothing says so. */
  readonly loggedAfter: number | null;
  readonly loggedBy: number | null;
  /** Names of the policy, in its order. */
  readonly witnesses: readonly string[];
}

export interface LogRules {
  readonly policy: LogPolicy;
  /** Maximum delay until a receipt is logged, as promised by the operator, in seconds. */
  readonly mmdSeconds: number;
}

/** Clocks of node and witnesses may differ by this much, in seconds. */
export const CLOCK_TOLERANCE_S = 300;

const NOTHING = { origin: null, index: null, treeSize: null, loggedAfter: null, loggedBy: null, witnesses: [] };

/**
 * Judges the proof that a receipt is in a log. The leaf is computed from receipt, signature and opening; no statement
 * of the proof itself is trusted.
 */
export async function judgeLogProof(
  texts: LogProofText,
  subject: LogProofSubject,
  { policy, mmdSeconds }: LogRules,
): Promise<LogVerdict> {
  const read = readTexts(texts);
  if (read === null) return { status: 'invalid', code: 'LOG_PROOF_MALFORMED', ...NOTHING };
  const { proof, opening, notBefore } = read;
  const { origin, size, root } = proof.checkpoint;
  const about = { ...NOTHING, origin, index: proof.index, treeSize: size };

  const signed = await judgeCheckpoint(proof.checkpoint, policy);
  if (signed.status === 'refused') {
    return { ...about, status: signed.code === 'LOG_UNKNOWN' ? 'unknown-log' : 'invalid', code: signed.code };
  }
  const witnesses = signed.witnesses.map(({ name }) => name);
  const invalid = (code: LogCode): LogVerdict => ({ ...about, witnesses, status: 'invalid', code });

  const leaf = leafHashOfOpening(opening, receiptDigest(subject.receipt, subject.signature));
  const place = { leafIndex: proof.index, treeSize: size, path: proof.path };
  if (leaf === null || !verifyInclusion(leaf, place, root)) return invalid('LOG_INCLUSION_INVALID');
  if (opening.form === 'owner' && subject.isLabelRight?.(opening.label) === false) return invalid('LOG_LABEL_MISMATCH');
  if (!signed.isQuorumMet) return invalid('LOG_QUORUM_NOT_MET');

  const loggedBy = quorumReachedAt(signed.witnesses, policy);
  const loggedAfter = await timeWithout(notBefore, proof, policy);
  const timed = { ...about, witnesses, loggedAfter, loggedBy };
  const code = timeCode(subject.receiptSeconds, { loggedAfter, loggedBy, mmdSeconds });
  return { ...timed, status: code === null || code === 'LOG_LATE' ? 'included' : 'invalid', code };
}

function readTexts({ proof, notBefore }: LogProofText): {
  readonly proof: TlogProof;
  readonly opening: Opening;
  readonly notBefore: SignedCheckpoint | null;
} | null {
  try {
    const parsed = parseTlogProof(proof);
    const opening = parseOpening(parsed.extra);
    // The other forms open no receipt.
    if (opening.form !== 'public' && opening.form !== 'owner') return null;
    return { proof: parsed, opening, notBefore: notBefore == null ? null : parseCheckpoint(notBefore) };
  } catch (error) {
    if (error instanceof TlogError) return null;
    throw error;
  }
}

/** A checkpoint of the same log that ends before the leaf, with a quorum, bounds the time from below; any other says nothing. */
async function timeWithout(
  checkpoint: SignedCheckpoint | null,
  proof: TlogProof,
  policy: LogPolicy,
): Promise<number | null> {
  if (checkpoint === null || checkpoint.origin !== proof.checkpoint.origin || checkpoint.size > proof.index)
    return null;
  const verdict = await judgeCheckpoint(checkpoint, policy);
  return verdict.status === 'signed' && verdict.isQuorumMet ? quorumCosignedAfter(verdict.witnesses, policy) : null;
}

function timeCode(
  at: number,
  { loggedAfter, loggedBy, mmdSeconds }: { loggedAfter: number | null; loggedBy: number | null; mmdSeconds: number },
): LogCode | null {
  const latest = at + mmdSeconds + CLOCK_TOLERANCE_S;
  if (loggedBy !== null && loggedBy < at - CLOCK_TOLERANCE_S) return 'LOG_TIME_CONFLICT';
  if (loggedAfter !== null && loggedAfter > latest) return 'LOG_BACKDATED';
  return loggedBy !== null && loggedBy > latest ? 'LOG_LATE' : null;
}
