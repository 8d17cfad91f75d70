import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import {
  bundleTypeOf,
  EXECUTION_V1,
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
  const base = { bundle, packaging, type, protocol: isJsonObject(stated) ? protocolIn(stated) : null };
  if (type === null) {
    const rule = member(bundle, 'bundleType') === undefined ? 'is required' : 'is none that this verifier knows';
    return unreadable(base, [schemaFinding('bundleType', rule, 'SCHEMA_VERSION_UNSUPPORTED')]);
  }
  const reading = type.read(bundle);
  if (reading === null) {
    const where = Object.hasOwn(bundle, 'snapshot') ? 'snapshot.type' : 'snapshot';
    return unreadable(base, [
      schemaFinding(where, 'names no layout that this bundle type has', 'SCHEMA_VERSION_UNSUPPORTED'),
    ]);
  }
  if (reading.layout === null) return { ...base, reading, protocol: null, snapshot: null, findings: [] };

  const isFlat = reading.relaxations.includes('flat-render-record');
  const snapshot = isFlat ? bundle : member(bundle, 'snapshot');
  if (!isJsonObject(snapshot)) {
    const rule = snapshot === undefined ? 'is required' : 'must be an object';
    return unreadable({ ...base, reading }, [schemaFinding('snapshot', rule)]);
  }
  const protocol = protocolIn(snapshot);
  const path = isFlat ? 'protocolVersion' : 'snapshot.protocolVersion';
  if (protocol === null) {
    return unreadable({ ...base, reading, protocol, snapshot }, [
      schemaFinding(path, 'is none that this verifier knows', 'SCHEMA_VERSION_UNSUPPORTED'),
    ]);
  }
  const isSupported = reading.layout.supportsProtocol(protocol);
  return {
    ...base,
    reading,
    protocol,
    snapshot,
    findings: isSupported
      ? []
      : [schemaFinding(path, 'is none that this bundle type supports', 'SCHEMA_VERSION_UNSUPPORTED')],
  };
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
    (isJsonObject(provenance) && member(provenance, 'kind') === 'redacted_reseal') ||
    (isJsonObject(attestation) && member(attestation, 'mode') === 'redacted_reseal')
  );
}

function unreadable(
  known: Omit<Subject, 'reading' | 'snapshot' | 'findings'> & Partial<Pick<Subject, 'reading' | 'snapshot'>>,
  findings: readonly Finding[],
): Subject {
  return { reading: null, snapshot: null, ...known, findings };
}
