import type { CerVerifyCode } from '../errors.js';
import type { Protocol } from '../protocols/protocols.js';
import { inOrder, type Finding } from '../finding.js';
import { findingsOf, type LayerOutcome } from './layer.js';

export interface Layers {
  readonly integrity: LayerOutcome;
  readonly receipt: LayerOutcome;
  readonly envelope: LayerOutcome;
}

export interface Rollup {
  readonly status: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL' | 'FAILED';
  readonly code: CerVerifyCode;
  readonly findings: readonly Finding[];
}

/**
 * One status from three layers: FAILED when any applicable one failed, else the protocol's verdict. A confidential
 * verdict needs a passing receipt, since only a receipt vouches for the commitments.
 * @param isConfidential the bundle has sealed objects as input and output, and was read under no relaxation
 * @param required unmet demands of the caller
 * @param demanded the unmet demand for a log
 * @see docs/spec.md, "Overall status"
 */
export function rollUp(
  { integrity, receipt, envelope }: Layers,
  required: readonly Finding[],
  demanded: readonly Finding[],
  protocol: Protocol | null,
  isConfidential: boolean,
): Rollup {
  const findings = inOrder([
    ...findingsOf(integrity),
    ...required,
    ...findingsOf(receipt),
    ...findingsOf(envelope),
    ...demanded,
  ]);
  const [first] = findings;
  if (first !== undefined) return { status: 'FAILED', code: first.code, findings };
  const isVouchedFor = isConfidential && receipt.status === 'PASS' && protocol !== null;
  return { status: isVouchedFor ? protocol.verdict : 'VERIFIED', code: 'OK', findings };
}
