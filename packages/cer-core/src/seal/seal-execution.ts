import { isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { SealedBundle } from '../attest/attest.js';
import { executionV1, V1_SNAPSHOT_TYPE } from '../bundle-types/execution-v1.js';
import { executionV2, protectedSetOf, V2_SNAPSHOT_TYPE } from '../bundle-types/execution-v2.js';
import type { Layout } from '../bundle-types/layout.js';
import { EXECUTION_V1, EXECUTION_V2 } from '../bundle-types/registry.js';
import { computeCommitment, type CommitmentSalts } from '../commitments/commit.js';
import { sealedValue } from '../commitments/sealed-value.js';
import { CerError } from '../errors.js';
import { hashValue, sha256 } from '../hash.js';
import { protocolFor, PROTOCOLS, type Protocol, type ProtocolRegistry } from '../protocols/protocols.js';
import { asksForV2, stated } from './execution-request.js';

/** Inputs of sealing that a pure package cannot make: the time, an id, secrets. */
export interface SealingInputs {
  /** Default of `createdAt`: now, or on a replay the stored one. UTC with milliseconds and `Z` when minted. */
  readonly createdAt: string;
  /** Default of `timestamp`; null: `createdAt`. */
  readonly timestamp: string | null;
  /** Default of `executionId`. */
  readonly executionId: string;
  /** Called only under a protocol with commitments. */
  readonly saltsFor: (executionId: string) => CommitmentSalts;
  readonly protocols?: ProtocolRegistry;
}

/** A sealed execution: integrity only, until a node attests it. */
export interface SealedExecution extends SealedBundle {
  readonly executionId: string;
  readonly createdAt: string;
  readonly timestamp: string;
  readonly protocol: Protocol;
  /** The openings of the commitments; null without commitments. Never part of the bundle. */
  readonly salts: CommitmentSalts | null;
}

type Values = Readonly<Record<'input' | 'output', { readonly sealed: JsonObject | null; readonly hash: string }>>;

/**
 * Seals the description of an execution into a CER bundle. Raw input and output leave only hashes or commitments.
 * @param request a body in which `executionRequestFaults` found nothing; it is projected as it was parsed
 * @throws CerError CANONICALIZATION_ERROR for a value with no canonical form, SCHEMA_ERROR for a bundle type that the
 *   protocol does not have
 * @see docs/spec.md, "Sealing"
 */
export function sealExecution(request: JsonObject, inputs: SealingInputs): SealedExecution {
  const protocol = protocolFor(stated(request, 'protocolVersion'), inputs.protocols ?? PROTOCOLS);
  if (protocol === null) throw new CerError('SCHEMA_ERROR', 'protocolVersion', 'is not supported');
  const isV2 = asksForV2(request);
  const layout = isV2 ? executionV2 : executionV1;
  if (!layout.supportsProtocol(protocol)) {
    throw new CerError('SCHEMA_ERROR', 'protocolVersion', `${protocol.version} has no ${EXECUTION_V2}`);
  }

  const executionId = textOr(request, 'executionId', inputs.executionId);
  const createdAt = textOr(request, 'createdAt', inputs.createdAt);
  const timestamp = textOr(request, 'timestamp', inputs.timestamp ?? createdAt);
  const salts = protocol.sealing === 'commitments' ? inputs.saltsFor(executionId) : null;
  const values: Values = {
    input: sealValue(request, 'input', protocol, salts?.input ?? null),
    output: sealValue(request, 'output', protocol, salts?.output ?? null),
  };
  const facts = { executionId, timestamp, protocolVersion: protocol.version };
  const unsealed: Record<string, JsonValue> = {
    bundleType: isV2 ? EXECUTION_V2 : EXECUTION_V1,
    version: layout.version,
    createdAt,
    snapshot: isV2 ? snapshotV2(request, facts, values) : snapshotV1(request, facts, values),
  };
  const context = contextOf(request);
  if (context !== null) unsealed['context'] = context;
  if (isV2) unsealed['protectedSet'] = protectedSetOf(unsealed);
  const { bundle, certificateHash, hashed } = sealBundle(unsealed, layout, protocol);
  return { bundle, certificateHash, hashed, executionId, createdAt, timestamp, protocol, salts };
}

/** Computes the hash of a bundle and puts it in. */
export function sealBundle(unsealed: JsonObject, layout: Layout, protocol: Protocol): SealedBundle {
  const projection = layout.projectForHash(unsealed);
  const canonical = protocol.profile.canonicalize(projection);
  const certificateHash = sha256(canonical);
  return { bundle: { ...unsealed, certificateHash }, certificateHash, hashed: { projection, canonical } };
}

function textOr(request: JsonObject, name: string, fallback: string): string {
  const value = stated(request, name);
  return typeof value === 'string' ? value : fallback;
}

function sealValue(
  request: JsonObject,
  name: 'input' | 'output',
  protocol: Protocol,
  salt: Uint8Array | null,
): { readonly sealed: JsonObject | null; readonly hash: string } {
  const raw = stated(request, name);
  if (raw === undefined) return { sealed: null, hash: textOr(request, `${name}Hash`, '') };
  if (salt === null) return { sealed: null, hash: hashValue(raw, protocol.profile, name) };
  const sealed = sealedValue(computeCommitment(raw, salt, protocol.profile, name));
  return { sealed, hash: hashValue(sealed, protocol.profile, name) };
}

interface Facts {
  readonly executionId: string;
  readonly timestamp: string;
  readonly protocolVersion: string;
}

// Assignments, not spreads: sealing is on the path of every certify, and spreads took two fifths of its time.

/** The first members of both layouts. */
function snapshotHead(
  type: string,
  request: JsonObject,
  { executionId, timestamp, protocolVersion }: Facts,
): Record<string, JsonValue> {
  return {
    type,
    protocolVersion,
    executionSurface: 'ai',
    executionId,
    timestamp,
    provider: stated(request, 'provider') ?? null,
    model: stated(request, 'model') ?? null,
    modelVersion: stated(request, 'modelVersion') ?? null,
  };
}

function snapshotV1(request: JsonObject, facts: Facts, { input, output }: Values): JsonObject {
  const snapshot = snapshotHead(V1_SNAPSHOT_TYPE, request, facts);
  if (input.sealed !== null && output.sealed !== null) {
    copyStated(request, 'prompt', snapshot);
    snapshot['input'] = input.sealed;
    snapshot['output'] = output.sealed;
  }
  snapshot['inputHash'] = input.hash;
  snapshot['outputHash'] = output.hash;
  copyStated(request, 'parameters', snapshot);
  snapshot['appId'] = stated(request, 'appId') ?? null;
  return snapshot;
}

function snapshotV2(request: JsonObject, facts: Facts, { input, output }: Values): JsonObject {
  const snapshot = snapshotHead(V2_SNAPSHOT_TYPE, request, facts);
  copyStated(request, 'executionRole', snapshot);
  copyStated(request, 'instruction', snapshot);
  copyStated(request, 'instructionKind', snapshot);
  if (input.sealed !== null && output.sealed !== null) copyStated(request, 'prompt', snapshot);
  snapshot['input'] = input.sealed ?? input.hash;
  copyStated(request, 'parameters', snapshot);
  snapshot['output'] = output.sealed ?? output.hash;
  snapshot['appId'] = stated(request, 'appId') ?? null;
  return snapshot;
}

type CopiedMember = 'prompt' | 'parameters' | 'executionRole' | 'instruction' | 'instructionKind';

function copyStated(request: JsonObject, name: CopiedMember, snapshot: Record<string, JsonValue>): void {
  const value = stated(request, name);
  if (value !== undefined) snapshot[name] = value;
}

function contextOf(request: JsonObject): JsonObject | null {
  const context = stated(request, 'context');
  if (isJsonObject(context)) return context;
  const signals = stated(request, 'signals');
  return signals === undefined ? null : { signals };
}
