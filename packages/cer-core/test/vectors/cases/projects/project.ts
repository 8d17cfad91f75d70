import {
  ACTIVE,
  at,
  canonical,
  change,
  hashText,
  NODE_ID,
  pick,
  seal,
  sign,
  TIME,
  v1,
  without,
  type Json,
  type JsonObject,
} from '../../forge.js';

const HASHED = [
  'bundleType',
  'version',
  'protocolVersion',
  'projectBundleId',
  'projectTitle',
  'startedAt',
  'completedAt',
  'totalSteps',
  'stepRegistry',
  'projectGoal',
  'projectSummary',
  'appName',
  'frameworkName',
  'tags',
];

export function sealProject(project: JsonObject): JsonObject {
  const hashed = pick(project, HASHED);
  const tags = hashed['tags'];
  const scope = Array.isArray(tags) && tags.length === 0 ? without(hashed, 'tags') : hashed;
  return { ...project, integrity: { algorithm: 'sha256-canonical-json', projectHash: hashText(canonical(scope)) } };
}

export function project(
  steps: readonly JsonObject[],
  members: JsonObject = {},
  entries: readonly JsonObject[] = [],
): JsonObject {
  const stepRegistry = steps.map((bundle, index): JsonObject => ({
    stepId: `step-${index + 1}`,
    sequence: index,
    certificateHash: bundle['certificateHash'] ?? null,
    executionId: at(bundle, 'snapshot.executionId'),
    ...entries[index],
  }));
  const embeddedBundles = Object.fromEntries(steps.map((bundle, index) => [`step-${index + 1}`, bundle]));
  return sealProject({
    bundleType: 'cer.project.bundle.v1',
    version: '0.1',
    projectTitle: 'Two steps',
    tags: ['a'],
    totalSteps: steps.length,
    stepRegistry,
    embeddedBundles,
    ...members,
  });
}

export async function register(
  bundle: JsonObject,
  receiptMembers: JsonObject = {},
  signer = ACTIVE,
): Promise<JsonObject> {
  const receipt: JsonObject = {
    projectHash: at(bundle, 'integrity.projectHash'),
    registeredAt: TIME,
    nodeId: NODE_ID,
    kid: signer.kid,
    ...receiptMembers,
  };
  return { ...bundle, meta: { attestation: { receipt, signature: await sign(signer, receipt), kid: signer.kid } } };
}

export const step = (executionId: string, snapshot: JsonObject = {}): JsonObject =>
  seal(v1({ executionId, ...snapshot }));

/** What is reported of a right project of two steps. */
export function ok(more: JsonObject = {}): JsonObject {
  return {
    status: 'VERIFIED',
    code: 'OK',
    structuralValid: true,
    projectHashValid: true,
    nodeReceipt: 'SKIPPED',
    steps: ['OK', 'OK'],
    ...more,
  };
}

export function bad(code: string, member: string | null, more: JsonObject = {}): JsonObject {
  return { status: 'FAILED', code, ...(member !== null && { member }), ...more };
}

/** The project with a member changed, and hashed again. */
export function edited(project: JsonObject, path: string, to: Json | undefined): JsonObject {
  return sealProject(change(project, path, to));
}

/** The project without its second step, which it lists as withdrawn. */
export function withdrawn(project: JsonObject): JsonObject {
  return { ...change(project, 'embeddedBundles.step-2', undefined), withdrawn: ['step-2'] };
}

export const PUBLIC = { heading: 'Project verification' };
