import { shownName } from '@cer/canonical-json';
import { describeFinding, type Finding } from '../finding.js';
import type { KeyRescue } from '../verify/key-rescue.js';
import type { VerificationReport, VerifierName } from '../verify/present.js';
import type { StepResult } from './steps.js';
import type { ProjectEvaluation } from './verify-project.js';

/** How many steps are registered, passed, and have a receipt of their own: fewer than all is not a whole project. */
interface StepCounts {
  readonly totalSteps: number;
  readonly passedSteps: number;
  readonly attestedSteps: number;
}

/** The answer of `POST /v1/project-bundle/verify`. @see docs/spec.md, "Project verification" */
export interface ProjectVerifyResponse extends StepCounts {
  readonly ok: boolean;
  readonly code: string;
  readonly errors: readonly string[];
  readonly projectHash: ProjectEvaluation['projectHash'];
  readonly structuralValid: boolean;
  readonly failedSteps: number;
  readonly steps: readonly {
    readonly stepId: string;
    readonly sequence: number | null;
    readonly executionId: string | null;
    readonly certificateHash: string;
    readonly ok: boolean;
    readonly status: string;
    readonly code: string;
    readonly errors: readonly string[];
  }[];
  readonly nodeReceipt: 'PASS' | 'FAIL' | 'SKIPPED';
  /** The external timestamp of the registration, if any. */
  readonly timestamp?: ProjectEvaluation['timestamp'];
  /** Present where the caller pinned a policy. */
  readonly transparency?: ProjectEvaluation['transparency'];
  readonly keyRescue?: KeyRescue;
  readonly revocationsKnownUntil?: string;
}

export function toProjectVerifyResponse(evaluation: ProjectEvaluation): ProjectVerifyResponse {
  const { status, code, findings, projectHash, structuralValid, steps, nodeReceipt } = evaluation;
  return {
    ok: status === 'VERIFIED',
    code,
    errors: [...findings, ...steps.flatMap(findingsOfStep)].map(describeFinding),
    projectHash,
    structuralValid,
    ...countsOf(evaluation),
    failedSteps: steps.filter((step) => step.status === 'FAILED').length,
    steps: steps.map((step) => ({
      stepId: step.stepId,
      sequence: step.sequence,
      executionId: step.executionId,
      certificateHash: step.certificateHash,
      ok: step.ok,
      status: step.status,
      code: step.code,
      errors: step.findings.map(describeFinding),
    })),
    nodeReceipt: nodeReceipt.status,
    ...besideChecks(evaluation),
  };
}

function countsOf({ totalSteps, steps }: ProjectEvaluation): StepCounts {
  return {
    totalSteps,
    passedSteps: steps.filter(({ ok }) => ok).length,
    attestedSteps: steps.filter(({ isAttested }) => isAttested).length,
  };
}

/** The faults of a step, as faults of the project; a withdrawn step is not a fault. */
function findingsOfStep({ ok, status, stepId, findings }: StepResult): readonly Finding[] {
  if (ok || status === 'WITHDRAWN') return [];
  const step = shownName(stepId);
  return findings.map((finding) => ({ ...finding, member: `step ${step}: ${finding.member}` }));
}

function besideChecks({
  timestamp,
  transparency,
  keyRescue,
  revocationsKnownUntil,
}: ProjectEvaluation): Pick<
  ProjectVerifyResponse,
  'timestamp' | 'transparency' | 'keyRescue' | 'revocationsKnownUntil'
> {
  return {
    ...(timestamp?.type === 'rfc3161' && { timestamp }),
    ...(transparency.status !== 'not-checked' && { transparency }),
    ...(keyRescue !== null && { keyRescue }),
    ...(revocationsKnownUntil !== null && { revocationsKnownUntil }),
  };
}

/** The rollup report of a project, for CLI and verifier site. */
export function toProjectReport(
  evaluation: ProjectEvaluation,
  verifier: VerifierName,
): VerificationReport & StepCounts & { readonly projectHash: string | null } {
  const { status, structuralValid, projectHash, steps, nodeReceipt, findings, code, verifiedAt } = evaluation;
  const isSound = structuralValid && projectHash.valid && steps.every((step) => step.ok || step.status === 'WITHDRAWN');
  return {
    status,
    checks: {
      bundleIntegrity: isSound ? 'PASS' : 'FAIL',
      nodeSignature: nodeReceipt.status,
      receiptConsistency: nodeReceipt.status,
      envelope: 'SKIPPED',
    },
    reasonCodes: status === 'VERIFIED' ? [] : [...new Set([code, ...findings.map((finding) => finding.code)])],
    certificateHash: null,
    projectHash: projectHash.submitted,
    bundleType: 'cer.project.bundle.v1',
    ...countsOf(evaluation),
    verifiedAt,
    verifier,
    ...besideChecks(evaluation),
  };
}
