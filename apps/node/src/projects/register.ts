import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import { attestProject } from '@cer/cer-core/attest';
import {
  evaluateProject,
  projectForHash,
  projectIn,
  readRegistry,
  type ProjectEvaluation,
  type TimestampVerifier,
} from '@cer/cer-core/verify';
import { ServiceError, validationError } from '@cer/http-service';
import type { NodeKeySet } from '@cer/keys';
import type { Caller } from '../auth/key-directory.js';
import { whileAttesting } from '../errors/refusals.js';
import { newLeaf } from '../log/new-leaf.js';
import { recordRemoved } from '../records/write/mutation.js';
import { parseStored } from '../records/stored-cer.js';
import type { Signing } from '../signing/signing.js';
import type { ProjectRegistration, ProjectStep, Store } from '../store/index.js';
import { breathe } from '../verify/verify-submitted.js';

export interface ProjectDeps {
  readonly store: {
    readonly records: Pick<Store['records'], 'visibilityOfFullRecords'>;
    readonly projects: Pick<Store['projects'], 'registerOnce' | 'findOwnByHash'>;
  };
  readonly signing: Pick<Signing, 'attestorAt'>;
  /** The published keys. */
  readonly keySet: () => Promise<NodeKeySet>;
  /** As in verification, so that a step under a key revoked later is accepted in the same cases. */
  readonly timestamps?: TimestampVerifier | null;
  /** Whether the node has a transparency log, which gets a leaf for each registration. */
  readonly hasLog: boolean;
  readonly verifyUrl: string;
  readonly now: () => Date;
}

/** The relevant members of a submitted project; its attestation is ignored. */
const UNASKED: ReadonlySet<string> = new Set(['meta', 'receipt', 'signature', 'kid', 'withdrawn']);

type MissingStep = ProjectStep & { readonly index: number };

/** Maximum steps named at once. @see docs/spec.md, "Limits" */
const MAX_MISSING_STEPS = 1000;

export interface Registered {
  readonly body: JsonObject;
  readonly isReplay: boolean;
}

/**
 * Verifies and registers a project if the tenant has a record of every step on this node.
 * @throws ServiceError VALIDATION_ERROR, or 400 with the verification's code
 * @see docs/spec.md, "POST /v1/project-bundle/register"
 */
export async function registerProject(
  deps: ProjectDeps,
  body: JsonValue,
  caller: Caller,
  requestId: string,
): Promise<Registered> {
  const project = submittedProject(body);
  const options = {
    keySet: await deps.keySet(),
    timestamps: deps.timestamps ?? null,
    verifiedAt: deps.now().toISOString(),
    onProgress: breathe,
  };
  const evaluation = await evaluateProject(project, options);
  assertVerified(evaluation);
  const { entries } = readRegistry(project);
  const projectHash = evaluation.projectHash.computed;
  if (entries === null || !isSha256Hash(projectHash)) throw new Error('a verified project has a registry and a hash');
  const missing = await missingSteps(deps, caller, entries);
  if (missing.length > 0) {
    // A step that was deleted since does not undo a registration.
    const existing = await deps.store.projects.findOwnByHash(caller.tenantId, projectHash);
    if (existing === null) throw attestationMissing(missing);
    return { body: registrationBody(existing, deps.verifyUrl), isReplay: true };
  }

  return whileAttesting(async () => {
    const time = deps.now();
    const registeredAt = time.toISOString();
    const attestor = await deps.signing.attestorAt(time);
    const { receipt, signature, kid } = await attestProject(projectHash, registeredAt, attestor);
    const registration: ProjectRegistration = {
      tenantId: caller.tenantId,
      projectHash,
      registeredAt,
      totalSteps: entries.length,
      projectJson: JSON.stringify(projectForHash(project)),
      stepHashes: entries.map(({ stepId, certificateHash }) => ({ stepId, certificateHash })),
      receiptJson: JSON.stringify(receipt),
      signature,
      kid,
      requestId,
    };
    const outcome = await deps.store.projects.registerOnce(
      registration,
      deps.hasLog
        ? newLeaf(
            'project',
            { kind: 'project', at: registeredAt, appId: null, bundleType: null },
            { receipt, signature },
          )
        : undefined,
    );
    if (outcome.registered) return { body: registrationBody(registration, deps.verifyUrl), isReplay: false };
    if (outcome.existing === null) throw recordRemoved();
    return { body: registrationBody(outcome.existing, deps.verifyUrl), isReplay: true };
  });
}

function submittedProject(body: JsonValue): JsonObject {
  const project = projectIn(body);
  if (project === null) throw validationError(['body: must be a project bundle']);
  if (Object.hasOwn(project, 'bundle')) throw validationError(['bundle: a project bundle has no such member']);
  return Object.fromEntries(Object.entries(project).filter(([name]) => !UNASKED.has(name)));
}

function assertVerified({ code, findings, steps }: ProjectEvaluation): void {
  if (code === 'OK') return;
  const details = [
    ...findings.map(({ member: path, detail }) => `${path === '' ? 'project' : path}: ${detail}`),
    ...steps
      .filter(({ ok }) => !ok)
      .flatMap((step) => step.findings.map((finding) => `${step.stepId}: ${finding.member} ${finding.detail}`)),
  ];
  if (code === 'SCHEMA_ERROR') throw validationError(details);
  throw new ServiceError({ code, status: 400, details });
}

/**
 * Every step must be a full record of the caller's tenant, so that the project receipt covers only content that the
 * node has seen.
 */
async function missingSteps(
  { store }: ProjectDeps,
  caller: Caller,
  entries: readonly ProjectStep[],
): Promise<readonly MissingStep[]> {
  const known = await store.records.visibilityOfFullRecords(
    caller.tenantId,
    entries.map(({ certificateHash }) => certificateHash),
  );
  return entries
    .map(({ stepId, certificateHash }, index) => ({ index, stepId, certificateHash }))
    .filter(({ certificateHash }) => !isHeld(known.get(certificateHash)))
    .slice(0, MAX_MISSING_STEPS);
}

function attestationMissing(steps: readonly MissingStep[]): ServiceError {
  return new ServiceError({
    code: 'ATTESTATION_MISSING',
    status: 400,
    details: steps.map(
      ({ index, stepId, certificateHash }) =>
        `stepRegistry[${index}]: step ${stepId} (${certificateHash}) is not a certified record of this account: ` +
        'attest it (POST /api/attest-batch, or cer register-project --attest-steps), then register',
    ),
    members: { missingSteps: steps },
  });
}

function isHeld(visibility: string | undefined): boolean {
  return visibility === 'visible' || visibility === 'hidden';
}

export function projectUrl(verifyUrl: string, projectHash: string): string {
  return `${verifyUrl}/p/${encodeURIComponent(projectHash)}`;
}

function registrationBody(registration: ProjectRegistration, verifyUrl: string): JsonObject {
  const { projectHash, registeredAt, totalSteps, receiptJson, signature, kid } = registration;
  return {
    ok: true,
    projectHash,
    registeredAt,
    totalSteps,
    receipt: parseStored(receiptJson),
    signature,
    kid,
    verificationUrl: projectUrl(verifyUrl, projectHash),
  };
}
