/** Transparency log: policies, and the verdict on a log proof. */
export { parseLogPolicy, type LogPolicy, type PolicyKey, type PolicyWitness } from './policy/policy.js';
export { judgeCheckpoint, type CheckpointVerdict, type CosignedBy } from './proof/judge-checkpoint.js';
export {
  judgeLogProof,
  type LogCode,
  type LogProofSubject,
  type LogProofText,
  type LogRules,
  type LogVerdict,
} from './proof/log-verdict.js';
export { formatTlogProof, parseTlogProof, type TlogProof } from './proof/tlog-proof.js';
export { createTransparencyVerifier, DEFAULT_MMD_SECONDS } from './proof/transparency-verifier.js';
export { TlogError, type TlogErrorCode } from './tlog-error.js';
