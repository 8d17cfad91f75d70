import { parseKeySet, type SignatureVerifier } from '@cer/keys';
import { JsonError, parseJson } from '@cer/canonical-json';
import { classify } from '../../src/verify/present.js';
import {
  evaluateCer,
  evaluateProject,
  toProjectVerifyResponse,
  toReport,
  type Evaluation,
  type ProjectEvaluation,
  type VerifyOptions,
} from '../../src/verify.js';
import type { FamilyTest } from './family.js';

/** A test with its key set in place of the name. Runs in Node and in browsers. */
export interface LoadedCase extends Omit<FamilyTest, 'keySet'> {
  /** Null: the caller has no keys. */
  readonly keySet: unknown;
}

/** The result of verifying a case, in the members of `expected`. */
export async function observe(
  { kind, options, bundle: text, keySet }: LoadedCase,
  verifySignature?: SignatureVerifier,
): Promise<Record<string, unknown>> {
  let bundle: unknown;
  try {
    bundle = parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return { refused: error.code, member: error.path };
    throw error;
  }
  const how: VerifyOptions = {
    verifiedAt: '2026-07-01T00:00:00.000Z',
    keySet: keySet === null ? null : parseKeySet(keySet),
    ...options,
    ...(verifySignature !== undefined && { verifySignature }),
  };
  return kind === 'cer' ? ofCer(await evaluateCer(bundle, how)) : ofProject(await evaluateProject(bundle, how));
}

function ofCer(evaluation: Evaluation): Record<string, unknown> {
  const { checks, reasonCodes } = toReport(evaluation, 'vectors/1');
  return {
    status: evaluation.status,
    code: evaluation.code,
    checks,
    reasonCodes,
    classification: classify(evaluation),
    member: evaluation.findings[0]?.member ?? null,
    supplemental: evaluation.supplemental,
    contentMode: evaluation.contentMode,
    relaxations: evaluation.relaxations,
    provenance: evaluation.provenance?.state ?? null,
  };
}

function ofProject(evaluation: ProjectEvaluation): Record<string, unknown> {
  const { passedSteps, attestedSteps, code, steps } = toProjectVerifyResponse(evaluation);
  return {
    status: evaluation.status,
    code,
    member: evaluation.findings.find((finding) => finding.code === code)?.member ?? null,
    structuralValid: evaluation.structuralValid,
    projectHashValid: evaluation.projectHash.valid,
    nodeReceipt: evaluation.nodeReceipt.status,
    steps: steps.map((step) => step.code),
    stepStatuses: steps.map((step) => step.status),
    passedSteps,
    attestedSteps,
  };
}

/** The members of `expected` that were not observed so; empty when the case holds. */
export function differences(
  expected: Readonly<Record<string, unknown>>,
  observed: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(expected).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(observed[name])),
  );
}
