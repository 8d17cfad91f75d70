import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import {
  bundleTypeOf,
  EXECUTION_V1,
  REDACTED_RESEAL,
  type BundleType,
  type BundleTypeRegistry,
  type Reading,
} from '../bundle-types/registry.js';
import { effectiveProtocolVersion, protocolFor, type Protocol, type ProtocolRegistry } from '../protocols/protocols.js';
import { schemaFinding, type Finding } from '../finding.js';

/** A bundle to verify, with the type, layout and protocol that its labels select. */
export interface Subject {
  readonly bundle: JsonObject;
  /** The members around the bundle when it came in a package; null for a bundle by itself. */
  readonly packaging: JsonObject | null;
  /** Null: unknown bundle type. */
  readonly type: BundleType | null;
  readonly reading: Reading | null;
  /** That of the snapshot, also where the layout is unknown. Null: unknown or mistyped, or a type without protocol. */
  readonly protocol: Protocol | null;
  /** The object with the layout members: the snapshot, or the bundle itself for flat records. */
  readonly snapshot: JsonObject | null;
  /** Why the bundle could not be read. */
  readonly findings: readonly Finding[];
}

export interface Registries {
  readonly protocols: ProtocolRegistry;
  readonly bundleTypes: BundleTypeRegistry;
}

/** Chooses type, layout and protocol rows. Unknown ones are findings: verification fails closed. */
export function readSubject(bundle: JsonObject, packaging: JsonObject | null, registries: Registries): Subject {
  const type = bundleTypeOf(bundle, registries.bundleTypes);
  const protocolIn = (holder: JsonObject): Protocol | null =>
    protocolFor(member(holder, 'protocolVersion'), registries.protocols);
  const stated = member(bundle, 'snapshot');
  const protocolStated = isJsonObject(stated) ? protocolIn(stated) : null;
  // Written out: in Node.js 20 a spread followed by more members takes ten times as long as all the other steps.
  const subject = (
    reading: Reading | null,
    protocol: Protocol | null,
    snapshot: JsonObject | null,
    ...findings: readonly Finding[]
  ): Subject => ({ bundle, packaging, type, reading, protocol, snapshot, findings });

  if (type === null) {
    const rule = member(bundle, 'bundleType') === undefined ? 'is required' : 'is none that this verifier knows';
    return subject(null, protocolStated, null, schemaFinding('bundleType', rule, 'SCHEMA_VERSION_UNSUPPORTED'));
  }
  const reading = type.read(bundle);
  if (reading === null) {
    const where = Object.hasOwn(bundle, 'snapshot') ? 'snapshot.type' : 'snapshot';
    const rule = 'names no layout that this bundle type has';
    return subject(null, protocolStated, null, schemaFinding(where, rule, 'SCHEMA_VERSION_UNSUPPORTED'));
  }
  if (reading.layout === null) return subject(reading, null, null);

  const isFlat = reading.relaxations.includes('flat-render-record');
  const snapshot = isFlat ? bundle : stated;
  if (!isJsonObject(snapshot)) {
    const rule = snapshot === undefined ? 'is required' : 'must be an object';
    return subject(reading, protocolStated, null, schemaFinding('snapshot', rule));
  }
  const protocol = isFlat ? protocolIn(snapshot) : protocolStated;
  if (protocol !== null && reading.layout.supportsProtocol(protocol)) return subject(reading, protocol, snapshot);
  const path = isFlat ? 'protocolVersion' : 'snapshot.protocolVersion';
  const rule = protocol === null ? 'is none that this verifier knows' : 'is none that this bundle type supports';
  return subject(reading, protocol, snapshot, schemaFinding(path, rule, 'SCHEMA_VERSION_UNSUPPORTED'));
}

/** What the copies of the protocol repeat, known or not; null for a mistyped one. */
export function effectiveProtocolOf({ bundle, snapshot }: Subject): string | null {
  const holder = snapshot ?? member(bundle, 'snapshot');
  return effectiveProtocolVersion(isJsonObject(holder) ? member(holder, 'protocolVersion') : undefined);
}

/** Bundles from older nodes state only in unsigned members that they are reseals. */
export function isLabelledOlderReseal(bundle: JsonObject): boolean {
  if (member(bundle, 'bundleType') !== EXECUTION_V1) return false;
  const meta = member(bundle, 'meta');
  if (!isJsonObject(meta)) return false;
  const provenance = member(meta, 'provenance');
  const attestation = member(meta, 'attestation');
  return (
    (isJsonObject(provenance) && member(provenance, 'kind') === REDACTED_RESEAL) ||
    (isJsonObject(attestation) && member(attestation, 'mode') === REDACTED_RESEAL)
  );
}
