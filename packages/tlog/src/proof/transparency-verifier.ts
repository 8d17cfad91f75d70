import type { JsonObject } from '@cer/canonical-json';
import { parseTimestamp } from '@cer/keys';
import type { LeafLabel } from '../leaf/leaf.js';
import { judgeLogProof, type LogCode, type LogRules } from './log-verdict.js';

/** The time within which an operator promises to log, where no statement of its log says otherwise: seconds. */
export const DEFAULT_MMD_SECONDS = 3600;

/** A proof and the receipt that it must be about, as the verifier of certificates collects them. */
interface Claim {
  readonly proof: string;
  readonly notBefore: string | null;
  readonly receipt: JsonObject;
  readonly signature: string;
  readonly signedAt: string;
  /** The required label; without kinds the certificate is not available, and only the time is compared. */
  readonly label: {
    readonly appId: string | null;
    readonly bundleType: string | null;
    readonly kinds: readonly string[];
  };
}

/** A verdict with its times as ISO 8601 in UTC. */
interface Judged {
  readonly status: 'included' | 'invalid' | 'unknown-log';
  readonly code: LogCode | null;
  readonly origin: string | null;
  readonly index: number | null;
  readonly treeSize: number | null;
  readonly loggedAfter: string | null;
  readonly loggedBy: string | null;
  readonly witnesses: readonly string[];
}

/**
 * Makes the check of log proofs that `evaluateCer` takes as `transparency`.
 * @param rules the policy that the caller pinned
 */
export function createTransparencyVerifier(
  rules: Pick<LogRules, 'policy'> & Partial<LogRules>,
): (claim: Claim) => Promise<Judged> {
  const { policy, mmdSeconds = DEFAULT_MMD_SECONDS } = rules;
  return async ({ proof, notBefore, receipt, signature, signedAt, label }) => {
    const at = parseTimestamp(signedAt);
    if (at === null) throw new TypeError('signedAt: must be a timestamp');
    const verdict = await judgeLogProof(
      { proof, notBefore },
      { receipt, signature, receiptSeconds: at.epochSeconds, isLabelRight: (found) => isRight(found, signedAt, label) },
      { policy, mmdSeconds },
    );
    return {
      ...verdict,
      loggedAfter: isoOf(verdict.loggedAfter),
      loggedBy: isoOf(verdict.loggedBy),
    };
  };
}

function isRight(found: LeafLabel, signedAt: string, { appId, bundleType, kinds }: Claim['label']): boolean {
  if (found.at !== signedAt) return false;
  return kinds.length === 0 || (kinds.includes(found.kind) && found.appId === appId && found.bundleType === bundleType);
}

function isoOf(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}
