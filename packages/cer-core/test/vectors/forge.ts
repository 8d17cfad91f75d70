import { createHash } from 'node:crypto';
import { testKeySet, testSigner, type TestKey } from '@cer/keys/testing';
import type { Signer } from '@cer/keys';

// Makes bundles, receipts and envelopes from the specification alone. It does not use cer-core, so that a fault of the
// implementation cannot hide in the vectors that must find it.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

export const NODE_ID = 'node-vectors';
export const TIME = '2026-01-02T03:04:05.678Z';
export const RUNTIME_HASH = hashText('runtime of the vectors');
export const ATTESTATION_ID = '11111111-2222-4333-8444-555555555555';
export const ACTIVE = testSigner('vectors active');
export const OTHER = testSigner('vectors other');

export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const object = value as JsonObject;
  const members = Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(object[name] ?? null)}`);
  return `{${members.join(',')}}`;
}

export function hashText(text: string): string {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

export function hashOf(value: Json): string {
  return hashText(typeof value === 'string' ? value : canonical(value));
}

export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(object, name) ? [[name, object[name] ?? null]] : [])),
  );
}

export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** A copy with the value at `path` (`snapshot.model`, `stepRegistry.0.stepId`) replaced, or removed where undefined. */
export function change(value: JsonObject, path: string, to: Json | undefined): JsonObject {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return to === undefined ? without(value, first) : { ...value, [first]: to };
  const inner = value[first];
  const below = rest.join('.');
  if (Array.isArray(inner))
    return { ...value, [first]: Object.values(change(Object.fromEntries<Json>(inner.entries()), below, to)) };
  return { ...value, [first]: change(object(inner), below, to) };
}

export function object(value: Json | undefined): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('a vector expects an object');
  return value as JsonObject;
}

/** {@link at} for a path that leads to text. */
export function textAt(value: Json | undefined, path: string): string {
  const found = at(value, path);
  if (typeof found !== 'string') throw new Error('a vector expects text');
  return found;
}

export function at(value: Json | undefined, path: string): Json {
  const inside = (inner: Json): JsonObject =>
    Array.isArray(inner) ? Object.fromEntries<Json>(inner.entries()) : object(inner);
  return path.split('.').reduce<Json>((inner, name) => inside(inner)[name] ?? null, value ?? null);
}

const HASHED = ['bundleType', 'version', 'createdAt', 'snapshot', 'context', 'contextSummary', 'policyEvaluation'];
const ENVELOPED = ['bundleType', 'version', 'createdAt', 'snapshot', 'context', 'contextSummary'];

/** Computes `certificateHash` over the members that the type puts in hash scope. */
export function seal(bundle: JsonObject, names: readonly string[] = HASHED): JsonObject {
  return { ...bundle, certificateHash: hashText(canonical(pick(bundle, names))) };
}

export function v1(snapshot: JsonObject = {}, members: JsonObject = {}): JsonObject {
  return {
    bundleType: 'cer.ai.execution.v1',
    version: '0.1',
    createdAt: TIME,
    snapshot: {
      type: 'ai.execution.v1',
      protocolVersion: '1.2.0',
      executionSurface: 'ai',
      executionId: 'exec-1',
      timestamp: TIME,
      provider: 'example',
      model: 'example-1',
      modelVersion: null,
      inputHash: hashText('What is a receipt?'),
      outputHash: hashText('A signed statement.'),
      parameters: { temperature: 0 },
      appId: null,
      ...snapshot,
    },
    ...members,
  };
}

/** A sealed value whose commitment is some hash: the vectors need no salt to be checked. */
export function commitment(of: string): JsonObject {
  return { _redacted: true, scheme: 'hmac-sha256-v1', commitment: hashText(`commitment of ${of}`) };
}

export const FOUR_PARAMETERS: JsonObject = { temperature: 0, maxTokens: 100, topP: null, seed: null };

export function confidential(snapshot: JsonObject = {}, members: JsonObject = {}): JsonObject {
  const [input, output] = [commitment('input'), commitment('output')];
  return v1(
    {
      protocolVersion: '1.3.1',
      prompt: 'Answer briefly.',
      input,
      output,
      inputHash: hashOf(input),
      outputHash: hashOf(output),
      parameters: FOUR_PARAMETERS,
      ...snapshot,
    },
    members,
  );
}

export function v2(snapshot: JsonObject = {}, members: JsonObject = {}): JsonObject {
  return {
    bundleType: 'cer.ai.execution.v2',
    version: '0.2',
    createdAt: TIME,
    snapshot: {
      type: 'ai.execution.v2',
      protocolVersion: '1.3.0',
      executionSurface: 'ai',
      executionId: 'exec-2',
      timestamp: TIME,
      provider: 'example',
      model: 'example-1',
      modelVersion: null,
      executionRole: 'advisory',
      input: hashText('What is a receipt?'),
      output: hashText('A signed statement.'),
      appId: null,
      ...snapshot,
    },
    ...members,
  };
}

export function protectedSet(bundle: JsonObject): JsonObject {
  return {
    protectedSetId: 'cer.ai.execution.v2',
    protectedFields: HASHED.filter((name) => Object.hasOwn(bundle, name)),
    stabilitySchemeId: 'jcs-v1',
  };
}

export function sealV2(bundle: JsonObject, set: Json = protectedSet(bundle)): JsonObject {
  return seal({ ...bundle, protectedSet: set }, [...HASHED, 'protectedSet']);
}

export function render(snapshot: JsonObject = {}, members: JsonObject = {}): JsonObject {
  return {
    bundleType: 'cer.codemode.render.v1',
    version: '0.1',
    createdAt: TIME,
    snapshot: {
      type: 'codemode.render.v1',
      protocolVersion: '1.2.0',
      executionId: 'render:1',
      timestamp: TIME,
      codeHash: hashText('function setup() {}'),
      seed: 'default',
      vars: [1, 2.5],
      execution: { mode: 'static' },
      canvas: { width: 1950, height: 2400 },
      hashScheme: 'rgba-chunk512k-sha256-v1',
      outputHash: hashText('pixels'),
      imageHash: hashText('png'),
      sdkVersion: '0.1.0',
      rendererVersion: 'renderer/1',
      ...snapshot,
    },
    ...members,
  };
}

const FLAT = ['bundleType', 'version', 'createdAt', 'protocolVersion', 'runtimeHash', 'codeHash', 'seed', 'varsHash'];

export function flatRender(members: JsonObject = {}): JsonObject {
  const record = {
    protocolVersion: '1.2.0',
    runtimeHash: hashText('png'),
    codeHash: hashText('function setup() {}'),
    seed: 'default',
    varsHash: hashText('[]'),
    ...members,
  };
  return seal(record, FLAT);
}

export function hashOnly(members: JsonObject = {}): JsonObject {
  return {
    bundleType: 'hash-only-timestamp',
    version: '0.1',
    createdAt: TIME,
    snapshot: null,
    certificateHash: hashText('unseen content'),
    ...members,
  };
}

export async function sign(signer: Signer, payload: Json): Promise<string> {
  return Buffer.from(await signer.sign(new TextEncoder().encode(canonical(payload)))).toString('base64url');
}

export interface Attesting {
  readonly signer?: Signer;
  readonly timestamp?: string;
  readonly nodeId?: string;
  /** Members that the receipt of this scope has beside the four. */
  readonly receipt?: JsonObject;
  readonly envelope?: boolean;
  /** Members that differ in the envelope's five. */
  readonly facts?: JsonObject;
}

/** Attests a sealed bundle as a node would: receipt, and by default an envelope. */
export async function attest(bundle: JsonObject, how: Attesting = {}): Promise<JsonObject> {
  const { signer = ACTIVE, timestamp = TIME, nodeId = NODE_ID } = how;
  const certificateHash = bundle['certificateHash'] ?? null;
  const receipt: JsonObject = { certificateHash, timestamp, nodeId, kid: signer.kid, ...how.receipt };
  const snapshot = bundle['snapshot'] ?? null;
  const stated = snapshot === null ? null : (object(snapshot)['protocolVersion'] ?? '1.2.0');
  const facts: JsonObject = {
    attestationId: ATTESTATION_ID,
    attestedAt: timestamp,
    kid: signer.kid,
    nodeRuntimeHash: RUNTIME_HASH,
    protocolVersion: stated,
  };
  const attestation: JsonObject = {
    receipt,
    signature: await sign(signer, receipt),
    ...facts,
    nodeId,
    bundleType: bundle['bundleType'] ?? null,
    certificateHash,
    timestamp: { type: 'node-issued', status: 'verified', provider: nodeId, token: null, covers: null },
  };
  const meta = { ...object(bundle['meta'] ?? {}), attestation };
  if (how.envelope === false) return { ...bundle, meta };
  return { ...bundle, meta: { ...meta, ...(await envelopeFor(bundle, { ...facts, ...how.facts }, signer)) } };
}

export async function envelopeFor(bundle: JsonObject, facts: JsonObject, signer: Signer = ACTIVE): Promise<JsonObject> {
  const projection = pick(bundle, ENVELOPED);
  return {
    verificationEnvelope: {
      envelopeType: 'svc.verification.envelope.v2',
      specVersion: '0.16.1',
      algorithm: 'Ed25519',
      canonicalization: 'jcs',
      scope: 'whitelist',
      kid: signer.kid,
      signedFields: {
        attestation: ['attestationId', 'attestedAt', 'kid', 'nodeRuntimeHash', 'protocolVersion'],
        bundle: Object.keys(projection),
      },
      attestation: facts,
    },
    verificationEnvelopeSignature: await sign(signer, { attestation: facts, bundle: projection }),
  };
}

export const ORIGINAL_HASH = hashText('the original of the reseal');
export const POLICY = 'public.v1:snapshot.prompt';

/** A reseal by the node: hashed again, its receipt names the original. */
export async function reseal(bundle: JsonObject, how: Attesting = {}): Promise<JsonObject> {
  const isV2 = bundle['version'] === '0.2';
  const relabelled = { ...bundle, bundleType: 'signed-redacted-reseal' };
  const sealed = isV2 ? sealV2(relabelled) : seal(relabelled);
  const facts = { scope: 'reseal', originalCertificateHash: ORIGINAL_HASH, redactionPolicy: POLICY };
  const original = await attest({ certificateHash: ORIGINAL_HASH, snapshot: {} }, { envelope: false });
  const provenance: JsonObject = {
    kind: 'redacted_reseal',
    originalCertificateHash: ORIGINAL_HASH,
    redactedAt: TIME,
    redactionPolicy: POLICY,
    original: {
      certificateHash: ORIGINAL_HASH,
      ...pick(object(at(original, 'meta.attestation')), ['receipt', 'signature']),
    },
  };
  return attest({ ...sealed, meta: { provenance } }, { envelope: false, receipt: facts, ...how });
}

/** The receipt of an older node, all of whose members are in one object. */
export function olderReceipt(certificateHash: Json, attestationId = ATTESTATION_ID): JsonObject {
  return {
    receiptVersion: '1',
    attestationId,
    attestedAt: TIME,
    attestorKeyId: ACTIVE.kid,
    certificateHash,
    nodeId: NODE_ID,
    nodeRuntimeHash: RUNTIME_HASH,
    protocolVersion: '1.2.0',
    timestampType: 'node-issued',
  };
}

export function keySet(keys: readonly TestKey[] = [{ signer: ACTIVE }], members: JsonObject = {}): JsonObject {
  const document = testKeySet({ nodeId: NODE_ID, signers: keys });
  return { ...(JSON.parse(JSON.stringify(document)) as JsonObject), ...members };
}

/** The key set with members of its first entry changed; undefined removes one. */
export function keySetWith(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.entries(members).reduce((set, [name, to]) => change(set, `keys.0.${name}`, to), keySet());
}
