import { randomBytes, randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import {
  deriveSalts,
  executionRequestFaults,
  formatOpenings,
  SALT_BYTES,
  sealExecution,
  stated,
  type CommitmentSalts,
  type SealedExecution,
} from '@cer/cer-core/seal';
import { validationError } from '@cer/http-service';
import type { Caller } from '../auth/key-directory.js';
import { attestAndRecord, hashedBundle, type AttestDeps } from '../records/write/attest-and-record.js';
import { certifyResponse, certifyResponseText, type ResponseParts } from '../records/certify-response.js';
import { withLogProofs } from '../records/with-log-proofs.js';
import { recordToReplay } from '../records/write/mutation.js';
import { parseStored, storedMeta } from '../records/stored-cer.js';
import type { CertificateRecord, ExecutionRow } from '../store/index.js';
import type { CommitmentSecrets } from './commitment-secrets.js';
import { layoutFor } from '../records/write/layout-for.js';

export interface CertifyDeps extends AttestDeps {
  readonly secrets: CommitmentSecrets;
  readonly verifyUrl: string;
}

/** The response for a certified execution. */
export interface Certified {
  /** The body as JSON. */
  readonly json: string;
  readonly certificateHash: string;
  readonly isReplay: boolean;
}

const CONFIDENTIAL_WARNING = 'prompt is bound and stored in clear text: put confidential content into input or output';

/** @throws ServiceError VALIDATION_ERROR with every fault of the request */
function assertExecutionRequest(request: JsonValue): asserts request is JsonObject {
  const faults = executionRequestFaults(request);
  if (faults.length > 0 || !isJsonObject(request)) throw validationError(faults);
}

/**
 * Seals, attests and records an execution, or replays the record of an earlier identical request.
 * @throws ServiceError VALIDATION_ERROR, EXECUTION_MUTATION_DETECTED, RECORD_REMOVED, ATTESTATION_ERROR; CerError for content that its
 *   protocol does not allow
 * @see docs/spec.md, "POST /v1/cer/ai/certify"
 */
export async function certify(
  deps: CertifyDeps,
  request: JsonValue,
  caller: Caller,
  requestId: string,
): Promise<Certified> {
  assertExecutionRequest(request);
  const mintedId = randomUUID();
  const now = deps.now().toISOString();
  const { activeId } = deps.secrets;
  const seal = (createdAt: string, timestamp: string | null, secretId: string): SealedExecution =>
    sealExecution(request, {
      createdAt,
      timestamp,
      executionId: mintedId,
      saltsFor: (executionId) => deriveSalts(deps.secrets.secretOf(secretId), caller.tenantId, executionId),
    });

  const sealed = seal(now, null, activeId);
  const metadata = stated(request, 'metadata');
  const layout = layoutFor(sealed.bundle);
  const { meta, texts, outcome } = await attestAndRecord(deps, {
    sealed,
    layout,
    protocol: sealed.protocol,
    tenantId: caller.tenantId,
    executionId: sealed.executionId,
    createdAt: sealed.createdAt,
    timestamp: sealed.timestamp,
    commitmentSecretId: sealed.salts === null ? null : activeId,
    metadata,
    publish: caller.publish,
    limits: caller.limits,
    isForeign: false,
    requestId,
  });
  if (outcome.recorded) {
    const parts = responseParts(deps, sealed, sealed.bundle, meta, requestId);
    return { json: certifyResponseText(parts, texts), certificateHash: sealed.certificateHash, isReplay: false };
  }

  const { existing } = outcome;
  if (existing === null) throw new Error('a full record was taken for a hash-only one');
  // The first request may have left the times to the node or used an older secret: seal with its times and secret.
  const again = sealAgain(existing, deps.secrets, (secretId) => seal(existing.createdAt, existing.timestamp, secretId));
  const record = recordToReplay(existing, outcome.record, again.certificateHash);
  const parts = responseParts(deps, again, bundleOf(record, again, layout), storedMeta(record), record.requestId);
  const body = await withLogProofs(certifyResponse(parts), record, deps.log);
  return { json: JSON.stringify(body), certificateHash: again.certificateHash, isReplay: true };
}

/**
 * Seals with the original times and secret. An attested bundle does not name the secret under which this node may have
 * sealed it: the secret that reproduces its hash is used.
 */
function sealAgain(
  { certificateHash, commitmentSecretId }: ExecutionRow,
  { activeId, ids }: CommitmentSecrets,
  seal: (secretId: string) => SealedExecution,
): SealedExecution {
  const again = seal(commitmentSecretId ?? activeId);
  if (again.salts === null || commitmentSecretId !== null || again.certificateHash === certificateHash) return again;
  for (const id of ids.slice(1)) {
    const candidate = seal(id);
    if (candidate.certificateHash === certificateHash) return candidate;
  }
  return again;
}

/** A record of attest for a bundle with raw values has no bundle; the one just sealed has the same hash. */
function bundleOf(record: CertificateRecord, again: SealedExecution, layout: ReturnType<typeof layoutFor>): JsonObject {
  return record.bundleJson === null ? hashedBundle(again.bundle, layout) : parseStored(record.bundleJson);
}

function responseParts(
  { verifyUrl }: CertifyDeps,
  { salts }: SealedExecution,
  bundle: JsonObject,
  meta: JsonObject,
  requestId: string,
): ResponseParts {
  return { bundle, meta, requestId, verifyUrl, beside: salts === null ? {} : confidentialMembers(salts) };
}

function confidentialMembers(salts: CommitmentSalts): JsonObject {
  return { openings: formatOpenings(salts), warnings: [CONFIDENTIAL_WARNING] };
}

/**
 * Seals without signing or storing.
 * @returns the bundle only. It is not stored, so an execution without an id gets ephemeral salts.
 * @see docs/spec.md, "POST /v1/cer/ai/create"
 */
export function create(
  { secrets, now }: Pick<CertifyDeps, 'secrets' | 'now'>,
  request: JsonValue,
  caller: Caller,
): JsonObject {
  assertExecutionRequest(request);
  const isIdStated = stated(request, 'executionId') !== undefined;
  return sealExecution(request, {
    createdAt: now().toISOString(),
    timestamp: null,
    executionId: randomUUID(),
    saltsFor: (executionId) =>
      isIdStated
        ? deriveSalts(secrets.secretOf(secrets.activeId), caller.tenantId, executionId)
        : { input: randomBytes(SALT_BYTES), output: randomBytes(SALT_BYTES) },
  }).bundle;
}
