import type { FailureCode } from '../errors.js';
import type { Finding } from '../finding.js';

/** Result of one verification layer. SKIPPED: there was nothing to check, never "could not check". */
export type LayerOutcome =
  | { readonly status: 'PASS' }
  | {
      readonly status: 'FAIL';
      readonly code: FailureCode;
      readonly detail: string;
      readonly findings: readonly Finding[];
    }
  | { readonly status: 'SKIPPED'; readonly reason: SkipReason };

export type SkipReason = 'no-attestation' | 'no-envelope' | 'redacted';

export const PASS: LayerOutcome = { status: 'PASS' };

export function skipped(reason: SkipReason): LayerOutcome {
  return { status: 'SKIPPED', reason };
}

export function fail(code: FailureCode, member: string, detail: string): LayerOutcome {
  return failWith({ code, member, detail });
}

export function failWith(first: Finding, ...rest: readonly Finding[]): LayerOutcome {
  const detail = first.member === '' ? first.detail : `${first.member}: ${first.detail}`;
  return { status: 'FAIL', code: first.code, detail, findings: [first, ...rest] };
}

/** PASS when nothing was found, else FAIL with the first finding's code. */
export function outcomeOf(findings: readonly Finding[]): LayerOutcome {
  const [first, ...rest] = findings;
  return first === undefined ? PASS : failWith(first, ...rest);
}

export function findingsOf(outcome: LayerOutcome): readonly Finding[] {
  return outcome.status === 'FAIL' ? outcome.findings : [];
}
