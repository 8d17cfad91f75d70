import { isJsonObject, isSameJson, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { codemodeRender, RENDER_BUNDLE_TYPE, RENDER_HASH_SCHEME, RENDER_SNAPSHOT_TYPE, sha256 } from '@cer/cer-core';
import { sealBundle } from '@cer/cer-core/seal';
import type { Caller } from '../auth/key-directory.js';
import { attestAndRecord, type AttestDeps } from '../records/write/attest-and-record.js';
import { executionMutated, recordRemoved } from '../records/write/mutation.js';
import { parseStored, storedMeta } from '../records/stored-cer.js';
import { CANVAS } from './sketch-rules.js';
import { renderExecutionId, type PlannedRender } from './verify-request.js';

/** The hashes of a render that a certificate contains. */
export interface RenderOutcome {
  /** Hash of the raw pixels: of the picture, or of all frames. */
  readonly outputHash: string;
  /** Hash of the PNG: the picture, or the first frame. */
  readonly imageHash: string;
  readonly sdkVersion: string;
  readonly rendererVersion: string;
  /** The engine that drew, by name and content. */
  readonly engine: JsonObject;
}

/** Who asked for a certificate, and in which request. */
export interface Requester {
  readonly caller: Caller;
  readonly requestId: string;
}

export interface CertifiedRender {
  readonly cer: JsonObject;
  readonly certificateHash: string;
  readonly isReplay: boolean;
}

/** The members that identify a render; browser and runtime versions may differ between two requests. */
const SAME_RENDER: readonly string[] = ['codeHash', 'seed', 'vars', 'execution', 'outputHash'];

/**
 * Certifies a render; the code itself is never stored. A known id with the same content replays its certificate.
 * @throws ServiceError EXECUTION_MUTATION_DETECTED, RECORD_REMOVED, ATTESTATION_ERROR
 * @see docs/spec.md, "cer.codemode.render.v1"
 */
export async function certifyRender(
  deps: AttestDeps,
  planned: PlannedRender,
  rendered: RenderOutcome,
  { caller, requestId }: Requester,
): Promise<CertifiedRender> {
  const { request, execution } = planned;
  const { order, protocol } = request;
  const time = deps.now().toISOString();
  const executionId = renderExecutionId(planned);
  const snapshot: JsonObject = {
    type: RENDER_SNAPSHOT_TYPE,
    protocolVersion: protocol.version,
    executionId,
    timestamp: time,
    codeHash: sha256(order.code),
    seed: order.seed,
    vars: order.vars,
    execution: { ...execution },
    canvas: { ...CANVAS },
    hashScheme: RENDER_HASH_SCHEME,
    ...rendered,
  };
  const unsealed: JsonObject = {
    bundleType: RENDER_BUNDLE_TYPE,
    version: codemodeRender.version,
    createdAt: time,
    snapshot,
  };
  const sealed = sealBundle(unsealed, codemodeRender, protocol);
  const { meta, outcome } = await attestAndRecord(deps, {
    sealed,
    layout: codemodeRender,
    protocol,
    tenantId: caller.tenantId,
    executionId,
    createdAt: time,
    timestamp: time,
    commitmentSecretId: null,
    metadata: undefined,
    publish: caller.publish,
    limits: caller.limits,
    isForeign: false,
    requestId,
  });
  if (outcome.recorded) {
    return { cer: { ...sealed.bundle, meta }, certificateHash: sealed.certificateHash, isReplay: false };
  }
  const { existing, record } = outcome;
  if (existing === null) throw new Error('a full record was taken for a hash-only one');
  if (record === null) throw recordRemoved();
  const stored = record.bundleJson === null ? {} : parseStored(record.bundleJson);
  if (!isSameRender(member(stored, 'snapshot'), snapshot)) throw executionMutated();
  return { cer: { ...stored, meta: storedMeta(record) }, certificateHash: record.certificateHash, isReplay: true };
}

function isSameRender(stored: JsonValue | undefined, snapshot: JsonObject): boolean {
  return (
    isJsonObject(stored) &&
    SAME_RENDER.every((name) => isSameJson(member(stored, name) ?? null, member(snapshot, name) ?? null))
  );
}
