import { elementsOf, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { Finding } from '@cer/cer-core';
import { toProjectReport, toProjectVerifyResponse, type ProjectEvaluation } from '@cer/cer-core/verify';
import { keyFingerprint } from '@cer/keys';
import { layerResult, type Checked } from './check-certificate.js';
import { VERIFIER_NAME, type ProjectCheck, type StepView } from './check-result.js';
import { receiptTexts } from './hand-check.js';

/** Presents one project evaluation as the view needs it. */
export function checkProject(
  checked: Checked<ProjectEvaluation> & { readonly value: JsonValue; readonly project: JsonObject },
): ProjectCheck {
  const { value, project, keySet, keySource } = checked;
  const evaluation = withAskedHash(checked.evaluation, checked.askedHash);
  const { steps, ...nodeResponse } = toProjectVerifyResponse(evaluation);
  const isVouchedFor = evaluation.nodeReceipt.status === 'PASS';
  const receipt = isVouchedFor ? receiptTexts(project, isJsonObject(value) ? value : null, keySet) : null;
  const key = receipt === null ? undefined : keySet?.entries.get(receipt.kid)?.key;
  const chainBreaks = chainBreaksIn(evaluation.findings);
  return {
    kind: 'project',
    status: evaluation.status,
    code: evaluation.code,
    report: toProjectReport(evaluation, VERIFIER_NAME),
    nodeResponse,
    nodeReceipt: layerResult(evaluation.nodeReceipt),
    findings: evaluation.findings,
    title: textMember(project, 'projectTitle'),
    goal: textMember(project, 'projectGoal'),
    projectHash: evaluation.projectHash,
    structuralValid: evaluation.structuralValid,
    isWhole: evaluation.isWhole,
    registeredAt: evaluation.registeredAt,
    timestamp: evaluation.timestamp,
    keyRescue: evaluation.keyRescue,
    transparency: evaluation.transparency,
    nodeId: isVouchedFor ? (keySet?.nodeId ?? null) : null,
    kid: receipt?.kid ?? null,
    keyFingerprint: key?.usable === true ? keyFingerprint(key.publicKey) : null,
    hasChain: steps.length > 0 && hasChain(project),
    steps: stepViews(project, evaluation, chainBreaks),
    handCheck: { certificate: null, receipt },
    keySource,
  };
}

function withAskedHash(evaluation: ProjectEvaluation, askedHash: string | null): ProjectEvaluation {
  const { submitted } = evaluation.projectHash;
  if (askedHash === null || submitted === askedHash) return evaluation;
  const finding: Finding = {
    code: 'PROJECT_HASH_MISMATCH',
    member: 'integrity.projectHash',
    detail: 'is another project than the one asked for',
    expected: askedHash,
    ...(submitted !== null && { computed: submitted }),
  };
  return { ...evaluation, status: 'FAILED', code: finding.code, findings: [finding, ...evaluation.findings] };
}

/** The chain breaks by their members. */
type ChainBreaks = ReadonlyMap<string, readonly Finding[]>;

function chainBreaksIn(findings: readonly Finding[]): ChainBreaks {
  const breaks = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (finding.code !== 'CHAIN_BREAK_DETECTED') continue;
    const known = breaks.get(finding.member);
    if (known === undefined) breaks.set(finding.member, [finding]);
    else known.push(finding);
  }
  return breaks;
}

function stepViews(project: JsonObject, evaluation: ProjectEvaluation, breaks: ChainBreaks): StepView[] {
  const registry = member(project, 'stepRegistry');
  const entries = elementsOf(registry);
  return evaluation.steps.map((step, index) => {
    const entry = entries[index];
    const parents = isJsonObject(entry) ? member(entry, 'parentStepIds') : undefined;
    const places = [`embeddedBundles.${step.stepId}.snapshot.prevStepHash`, `stepRegistry[${index}].sequence`];
    const broken = places.flatMap((place) => breaks.get(place) ?? []);
    return {
      stepId: step.stepId,
      label: isJsonObject(entry) ? textMember(entry, 'stepLabel') : null,
      sequence: step.sequence,
      executionId: step.executionId,
      certificateHash: step.certificateHash,
      parents: Array.isArray(parents) ? parents.filter((parent) => typeof parent === 'string') : [],
      status: step.status,
      code: step.code,
      isAttested: step.isAttested,
      breaksChain: broken.length > 0,
      findings: broken.length === 0 ? step.findings : [...broken, ...step.findings],
    };
  });
}

/** A step that states no previous step is not chained. */
function hasChain(project: JsonObject): boolean {
  const embedded = member(project, 'embeddedBundles');
  if (!isJsonObject(embedded)) return false;
  return Object.values(embedded).some((bundle) => {
    const snapshot = isJsonObject(bundle) ? member(bundle, 'snapshot') : undefined;
    return isJsonObject(snapshot) && typeof member(snapshot, 'prevStepHash') === 'string';
  });
}

function textMember(object: JsonObject, name: string): string | null {
  const value = member(object, name);
  return typeof value === 'string' && value !== '' ? value : null;
}
