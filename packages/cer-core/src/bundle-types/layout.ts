import type { JsonObject, JsonValue } from '@cer/canonical-json';
import type { Protocol } from '../protocols/protocols.js';
import type { Finding } from '../finding.js';

/** The literal that replaces a removed value in a reseal. */
export const REDACTED = '[REDACTED]';

export function isRedacted(value: JsonValue | undefined): boolean {
  return value === undefined || value === REDACTED;
}

/** Facts about the bundle that a layout's checks depend on. */
export interface LayoutContext {
  readonly bundle: JsonObject;
  readonly snapshot: JsonObject;
  readonly protocol: Protocol;
  /** In a reseal a removed value is not a format fault and its hash is not recomputed. */
  readonly resealed: boolean;
}

/** How bundles of one shape are built, hashed and checked. Pure data and functions, independent of signatures. */
export interface Layout {
  readonly name: string;
  /** The only value of the bundle member `version`. */
  readonly version: string;
  /** Members in hash scope, each taken whole when present, in the order the protected set lists them. */
  readonly hashedMembers: readonly string[];
  readonly supportsProtocol: (protocol: Protocol) => boolean;
  /** Snapshot members this layout names; any other is hashed too, but never published. */
  readonly knownSnapshotMembers: readonly string[];
  readonly requiredSnapshotMembers: (protocol: Protocol) => readonly string[];
  /** Faults of type and form: SCHEMA_ERROR. */
  readonly checkSchema: (context: LayoutContext) => readonly Finding[];
  /** PROTECTED_SET_MISMATCH, for layouts that declare their protected set. */
  readonly checkProtectedSet: (context: LayoutContext) => readonly Finding[];
  /** Snapshot members that must hold a hash: INVALID_SHA256_FORMAT. */
  readonly checkHashForms: (context: LayoutContext) => readonly Finding[];
  /** Hashes of raw or sealed values in the bundle; may throw CerError CANONICALIZATION_ERROR. */
  readonly checkValueHashes: (context: LayoutContext) => readonly Finding[];
  /** The value that `certificateHash` is computed over. */
  readonly projectForHash: (bundle: JsonObject) => JsonObject;
}

/** Name of the deviation of a legacy shape's hash rule from the current one. */
export type Relaxation =
  | 'snapshot-type-absent'
  | 'execution-surface-absent'
  | 'flat-render-record'
  | 'context-excluded';
