import { exceedsDepth, isJsonObject, MAX_DEPTH, member, type JsonObject } from '@cer/canonical-json';
import { PROJECT } from '../bundle-types/registry.js';
import type { CerVerifyCode } from '../errors.js';
import { isSha256Hash, type Sha256Hash } from '../hash.js';
import { schemaFinding, type Finding } from '../finding.js';
import { findingsOf, skipped, type LayerOutcome } from '../verify/layer.js';
import type { KeyRescue } from '../verify/key-rescue.js';
import type { VerifyOptions } from '../verify/options.js';
import { reportTimestamp, type ReportedTimestamp } from '../verify/reported-timestamp.js';
import { pooledVerifier } from '../verify/signature.js';
import { absentTransparency, requiredLogFindings } from '../verify/transparency.js';
import type { Transparency } from '../verify/transparency-verifier.js';
import { checkChain } from './chain.js';
import { checkNodeReceipt } from './node-receipt.js';
import { computeProjectHash, PROJECT_HASH_ALGORITHM } from './project-hash.js';
import { readRegistry } from './registry.js';
import { verifySteps, type StepResult, type VerifyProjectOptions } from './steps.js';
import { checkStructure } from './structure.js';

export interface ProjectEvaluation {
  readonly status: 'VERIFIED' | 'FAILED';
  readonly code: CerVerifyCode;
  /** Findings of the project itself; each step lists those of its bundle. */
  readonly findings: readonly Finding[];
  readonly projectHash: {
    readonly submitted: string | null;
    readonly computed: Sha256Hash | null;
    readonly valid: boolean;
  };
  readonly structuralValid: boolean;
  readonly totalSteps: number;
  readonly steps: readonly StepResult[];
  /** Every step is present, passed, and has its own receipt: only then may a report call the project whole. */
  readonly isWhole: boolean;
  readonly nodeReceipt: LayerOutcome;
  readonly registeredAt: string | null;
  /** The best external timestamp of the registration, else the node's statement; null without receipt. */
  readonly timestamp: ReportedTimestamp | null;
  readonly keyRescue: KeyRescue | null;
  /** The statement of a transparency log about the receipt of the project; it decides only under `requireLog`. */
  readonly transparency: Transparency;
  /** As in an evaluation. */
  readonly revocationsKnownUntil: string | null;
  readonly verifiedAt: string;
}

const CODE_PRIORITY: readonly CerVerifyCode[] = [
  'PROJECT_HASH_MISMATCH',
  'STEP_REGISTRY_MISMATCH',
  'CHAIN_BREAK_DETECTED',
  'CERTIFICATE_HASH_MISMATCH',
  'SCHEMA_ERROR',
];

/**
 * Verifies a project bundle of unknown content: schema, structure, every step, chain, hash, and the node's receipt for
 * the project when it has one. Never throws on hostile input. @see docs/spec.md, "Project verification"
 */
export async function evaluateProject(input: unknown, options: VerifyProjectOptions): Promise<ProjectEvaluation> {
  try {
    return await evaluate(input, { verifySignature: pooledVerifier, ...options });
  } catch {
    return failed([{ code: 'UNKNOWN_ERROR', member: '', detail: 'verification ended unexpectedly' }], options);
  }
}

/**
 * Finds the project bundle in the input, which is one or is `{bundle}` around one. An input that states the type of a
 * project is taken as the project itself, so that the verified project is the one shown.
 * @returns null for an input that is not an object
 */
export function projectIn(input: unknown): JsonObject | null {
  if (!isJsonObject(input)) return null;
  const inner = member(input, 'bundle');
  return member(input, 'bundleType') !== PROJECT && isJsonObject(inner) ? inner : input;
}

async function evaluate(input: unknown, options: VerifyProjectOptions): Promise<ProjectEvaluation> {
  if (exceedsDepth(input, MAX_DEPTH.canonical)) {
    return failed([schemaFinding('', `nested deeper than ${MAX_DEPTH.canonical} levels`, 'BUNDLE_CORRUPTED')], options);
  }
  const project = projectIn(input);
  if (project === null || !isJsonObject(input)) return failed([schemaFinding('', 'must be an object')], options);
  if (Object.hasOwn(project, 'bundle')) {
    return failed([schemaFinding('', 'is ambiguous: a project bundle has no member bundle')], options);
  }
  const schema = checkSchema(project);
  const registry = readRegistry(project);
  if (registry.entries === null) return failed([...schema, ...registry.findings], options, project);

  const { entries } = registry;
  const hash = checkHash(project);
  const nodeReceipt = await checkNodeReceipt(project, input, options);
  // The list of withdrawn steps is unsigned: only a project with the node's receipt may lack steps.
  const isVouchedFor = nodeReceipt.outcome.status === 'PASS';
  const withdrawn = isVouchedFor ? withdrawnSteps(project) : new Set<string>();
  const structure = checkStructure(project, entries, withdrawn);
  const embedded = member(project, 'embeddedBundles');
  const bundles = isJsonObject(embedded) ? embedded : {};
  const chain = checkChain(bundles, entries, withdrawn);
  // The project's receipt commits to every step, so the demand for a log is about that receipt.
  const steps = await verifySteps(bundles, entries, withdrawn, isVouchedFor, { ...options, requireLog: false });
  const findings = [
    ...[...hash.findings, ...structure, ...chain, ...schema],
    ...requirementFindings(options, nodeReceipt.outcome),
    // The form of the attestation is a fault of the schema already.
    ...findingsOf(nodeReceipt.outcome).filter(({ code: found }) => found !== 'SCHEMA_ERROR'),
    ...requiredLogFindings(nodeReceipt.transparency, options),
  ];
  const code = codeOf(findings, steps);
  return {
    status: code === 'OK' ? 'VERIFIED' : 'FAILED',
    code,
    findings,
    projectHash: hash.projectHash,
    structuralValid: schema.length === 0 && structure.length === 0 && chain.length === 0,
    totalSteps: entries.length,
    steps,
    isWhole: steps.length > 0 && steps.every(({ isAttested }) => isAttested),
    nodeReceipt: nodeReceipt.outcome,
    registeredAt: isVouchedFor ? nodeReceipt.registeredAt : null,
    timestamp: reportTimestamp(nodeReceipt.timestamps, nodeReceipt.outcome),
    keyRescue: nodeReceipt.rescue,
    transparency: nodeReceipt.transparency,
    revocationsKnownUntil: options.keySet?.revocationsKnownUntil ?? null,
    verifiedAt: options.verifiedAt,
  };
}

function codeOf(findings: readonly Finding[], steps: readonly StepResult[]): CerVerifyCode {
  const failing = steps.filter(({ ok, status }) => !ok && status !== 'WITHDRAWN');
  const codes = new Set<CerVerifyCode>([...findings.map(({ code }) => code), ...failing.map(({ code }) => code)]);
  return CODE_PRIORITY.find((code) => codes.has(code)) ?? failing[0]?.code ?? findings[0]?.code ?? 'OK';
}

/** The caller's demand for a receipt is about the project as well as about each step. */
function requirementFindings({ requireAttestation }: VerifyOptions, receipt: LayerOutcome): Finding[] {
  if (requireAttestation !== true || receipt.status !== 'SKIPPED') return [];
  return [{ code: 'ATTESTATION_MISSING', member: 'meta.attestation', detail: 'is absent, and a receipt was required' }];
}

function checkSchema(project: JsonObject): Finding[] {
  const integrity = member(project, 'integrity');
  const text = (name: string): Finding[] => {
    const value = member(project, name);
    return value === undefined || typeof value === 'string' ? [] : [schemaFinding(name, 'must be a string')];
  };
  return [
    ...(member(project, 'bundleType') === PROJECT
      ? []
      : [schemaFinding('bundleType', `must be "${PROJECT}"`, 'SCHEMA_VERSION_UNSUPPORTED')]),
    ...(isJsonObject(integrity) ? [] : [schemaFinding('integrity', 'must be an object')]),
    ...(isJsonObject(integrity) &&
    member(integrity, 'algorithm') !== undefined &&
    member(integrity, 'algorithm') !== PROJECT_HASH_ALGORITHM
      ? [schemaFinding('integrity.algorithm', `must be "${PROJECT_HASH_ALGORITHM}"`)]
      : []),
    ...['version', 'protocolVersion', 'projectBundleId', 'projectTitle', 'startedAt', 'completedAt'].flatMap(text),
    ...(hasReadableAttestation(project) ? [] : [schemaFinding('meta.attestation', 'must be an object')]),
  ];
}

function hasReadableAttestation(project: JsonObject): boolean {
  const meta = member(project, 'meta');
  const attestation = isJsonObject(meta) ? member(meta, 'attestation') : undefined;
  return attestation === undefined || attestation === null || isJsonObject(attestation);
}

function checkHash(project: JsonObject): Pick<ProjectEvaluation, 'projectHash' | 'findings'> {
  const integrity = member(project, 'integrity');
  const stated = isJsonObject(integrity) ? member(integrity, 'projectHash') : undefined;
  const submitted = typeof stated === 'string' ? stated : null;
  let computed: Sha256Hash;
  try {
    computed = computeProjectHash(project);
  } catch {
    const finding: Finding = {
      code: 'CANONICALIZATION_ERROR',
      member: '',
      detail: 'the project has no canonical form',
    };
    return { projectHash: { submitted, computed: null, valid: false }, findings: [finding] };
  }
  if (!isSha256Hash(stated)) {
    const detail = stated === undefined ? 'is required' : 'must be sha256: and 64 lower-case hex digits';
    return {
      projectHash: { submitted, computed, valid: false },
      findings: [{ code: 'INVALID_SHA256_FORMAT', member: 'integrity.projectHash', detail }],
    };
  }
  const valid = computed === stated;
  const mismatch: Finding = {
    code: 'PROJECT_HASH_MISMATCH',
    member: 'integrity.projectHash',
    detail: 'does not match the content of the project',
    expected: stated,
    computed,
  };
  return { projectHash: { submitted, computed, valid }, findings: valid ? [] : [mismatch] };
}

function withdrawnSteps(project: JsonObject): ReadonlySet<string> {
  const withdrawn = member(project, 'withdrawn');
  return new Set(Array.isArray(withdrawn) ? withdrawn.filter((stepId) => typeof stepId === 'string') : []);
}

function failed(
  findings: readonly Finding[],
  options: VerifyOptions,
  project: JsonObject | null = null,
): ProjectEvaluation {
  const hash = project === null ? null : checkHash(project);
  const all = [...findings, ...(hash?.findings ?? [])];
  return {
    status: 'FAILED',
    code: codeOf(all, []),
    findings: all,
    projectHash: hash?.projectHash ?? { submitted: null, computed: null, valid: false },
    structuralValid: false,
    totalSteps: 0,
    steps: [],
    isWhole: false,
    nodeReceipt: skipped('no-attestation'),
    registeredAt: null,
    timestamp: null,
    keyRescue: null,
    transparency: absentTransparency(options),
    revocationsKnownUntil: options.keySet?.revocationsKnownUntil ?? null,
    verifiedAt: options.verifiedAt,
  };
}
