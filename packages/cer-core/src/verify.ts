/** Verifying: one evaluation of a certificate or a project, and its reports. */
export { readReceipt } from './attest/receipt.js';
export { openCommitment, type ClaimedValue } from './commitments/commit.js';
export { isSealedValue } from './commitments/sealed-value.js';
export { toProjectReport, toProjectVerifyResponse, type ProjectVerifyResponse } from './project/present-project.js';
export { projectForHash } from './project/project-hash.js';
export { readRegistry } from './project/registry.js';
export type { StepResult, VerifyProjectOptions } from './project/steps.js';
export { evaluateProject, projectIn, type ProjectEvaluation } from './project/verify-project.js';
export { checkContent } from './verify/check-content.js';
export { evaluateCer } from './verify/evaluate.js';
export { unreadable, type Evaluation } from './verify/evaluation.js';
export { OUTER_EVIDENCE } from './verify/evidence.js';
export type { KeyRescue } from './verify/key-rescue.js';
export type { LayerOutcome } from './verify/layer.js';
export type { VerifyOptions } from './verify/options.js';
export {
  toNodeVerifyResponse,
  toReport,
  toStructuredResult,
  type NodeVerifyResponse,
  type VerificationReport,
  type VerifierName,
} from './verify/present.js';
export type { ReportedTimestamp } from './verify/reported-timestamp.js';
export { readSubject } from './verify/subject.js';
export type { TimestampClaim, TimestampVerifier } from './verify/timestamp-verifier.js';
export { describeTransparency } from './verify/transparency.js';
export type { Transparency, TransparencyClaim, TransparencyVerifier } from './verify/transparency-verifier.js';
export { unwrap } from './verify/unwrap.js';
