import { isJsonObject, isWellFormed, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import {
  bundleTypeOf,
  EXECUTION_V1,
  EXECUTION_V2,
  HASH_ONLY,
  isSha256Hash,
  PROTOCOLS,
  type Finding,
  type Layout,
  type Protocol,
  type Sha256Hash,
} from '@cer/cer-core';
import type { SealedBundle } from '@cer/cer-core/attest';
import { timestamp } from '@cer/cer-core/seal';
import { checkContent, OUTER_EVIDENCE, unwrap } from '@cer/cer-core/verify';
import { ServiceError, validationError } from '@cer/http-service';
import { schemaUnsatisfied } from '../errors/refusals.js';

/** A bundle sealed elsewhere that may be attested. */
export type AttestableBundle =
  | { readonly kind: 'hash-only'; readonly bundle: JsonObject; readonly certificateHash: Sha256Hash }
  | {
      readonly kind: 'full';
      readonly sealed: SealedBundle;
      readonly layout: Layout;
      readonly protocol: Protocol;
      readonly executionId: string;
      readonly createdAt: string;
      readonly timestamp: string;
    };

const ATTESTABLE: ReadonlySet<string> = new Set([EXECUTION_V1, EXECUTION_V2, HASH_ONLY]);

/** Findings for content that violates the schema of its protocol and type. */
const SCHEMA_CODES: ReadonlySet<string> = new Set([
  'SCHEMA_ERROR',
  'SCHEMA_KEY_INVALID',
  'PROTECTED_FIELD_MISSING',
  'INVALID_SHA256_FORMAT',
  'CANONICALIZATION_ERROR',
  'TOOL_EVIDENCE_MISSING',
]);

/**
 * Checks a submission in the order of precedence: shape, type and version (400), schema (422), hashes (400).
 * @throws ServiceError VALIDATION_ERROR, PROTOCOL_SCHEMA_UNSATISFIED, INVALID_BUNDLE with each mismatch
 * @see docs/spec.md, "POST /api/attest"
 */
export function checkSubmission(body: JsonValue): AttestableBundle {
  const unwrapped = unwrap(body);
  if (unwrapped.bundle === null) {
    const { member: path, detail } = unwrapped.finding;
    throw validationError([`${path === '' ? 'body' : path}: ${detail}`]);
  }
  // The submitted attestation is ignored and replaced by the node's.
  const bundle = withoutEvidence(unwrapped.bundle);
  assertTypeAndVersion(bundle);
  const content = checkContent(bundle);
  const { findings, subject } = content;
  const schema = findings.filter(({ code }) => SCHEMA_CODES.has(code));
  if (schema.length > 0) throw schemaUnsatisfied(schema.map(sentence));
  if (findings.length > 0) throw invalidBundle(findings);

  const certificateHash = member(bundle, 'certificateHash');
  if (!isSha256Hash(certificateHash)) throw new Error('a checked bundle has a certificateHash');
  const { reading, protocol, snapshot } = subject;
  if (reading?.layout === null) {
    const createdAt = member(bundle, 'createdAt') ?? null;
    const fault = createdAt === null ? null : timestamp(createdAt);
    if (fault !== null) throw validationError([`createdAt: ${fault}`]);
    return { kind: 'hash-only', bundle, certificateHash };
  }
  if (reading == null || protocol === null || snapshot === null) throw new Error('a checked bundle was read');
  if (reading.relaxations.length > 0) {
    throw schemaUnsatisfied(['snapshot: must have type and executionSurface']);
  }
  const executionId = text(snapshot, 'executionId');
  if (!isWellFormed(executionId)) throw schemaUnsatisfied(['snapshot.executionId: must not contain a lone surrogate']);
  return {
    kind: 'full',
    sealed: { bundle, certificateHash, hashed: content.hashed },
    layout: reading.layout,
    protocol,
    executionId,
    createdAt: text(bundle, 'createdAt'),
    timestamp: text(snapshot, 'timestamp'),
  };
}

const EVIDENCE: ReadonlySet<string> = new Set(['meta', ...OUTER_EVIDENCE]);

/** A remaining earlier receipt would contradict the new one, and the response would not verify. */
function withoutEvidence(bundle: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(bundle).filter(([name]) => !EVIDENCE.has(name)));
}

function assertTypeAndVersion(bundle: JsonObject): void {
  const stated = member(bundle, 'bundleType');
  if (typeof stated !== 'string' || !ATTESTABLE.has(stated)) {
    throw validationError([`bundleType: must be one of ${[...ATTESTABLE].join(', ')}`]);
  }
  const snapshot = member(bundle, 'snapshot');
  const faults: string[] = [];
  if (!isSha256Hash(member(bundle, 'certificateHash'))) {
    faults.push('certificateHash: must be sha256: and 64 lower-case hex digits');
  }
  if (stated === HASH_ONLY) {
    if (snapshot !== null) faults.push('snapshot: must be null');
    if (member(bundle, 'version') !== '0.1') faults.push('version: must be "0.1"');
    if (faults.length > 0) throw validationError(faults);
    return;
  }
  const version = bundleTypeOf(bundle)?.read(bundle)?.layout?.version;
  if (member(bundle, 'version') !== version) faults.push(`version: must be "${version ?? ''}"`);
  if (!isJsonObject(snapshot)) faults.push('snapshot: must be an object');
  else {
    const protocolVersion = member(snapshot, 'protocolVersion');
    const isKnown =
      protocolVersion === undefined ||
      protocolVersion === null ||
      (typeof protocolVersion === 'string' && PROTOCOLS.has(protocolVersion));
    if (!isKnown) faults.push(`snapshot.protocolVersion: must be one of ${[...PROTOCOLS.keys()].join(', ')}`);
  }
  if (faults.length > 0) throw validationError(faults);
}

function invalidBundle(findings: readonly Finding[]): ServiceError {
  return new ServiceError({
    code: 'INVALID_BUNDLE',
    details: findings.map(sentence),
    members: {
      mismatches: findings.map(({ member: field, expected, computed }) => ({
        field,
        expected: expected ?? null,
        computed: computed ?? null,
      })),
    },
  });
}

function sentence({ member: path, detail }: Finding): string {
  return `${path === '' ? 'bundle' : path}: ${detail}`;
}

function text(object: JsonObject, name: string): string {
  const value = member(object, name);
  if (typeof value !== 'string') throw new Error(`a checked bundle has ${name}`);
  return value;
}
