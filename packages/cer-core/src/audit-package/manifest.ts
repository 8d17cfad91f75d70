import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isTimestamp } from '@cer/keys';
import { jcsV1 } from '../profiles.js';
import { isSha256Hash, type Sha256Hash } from '../hash.js';

// The list of contents of an audit package. @see docs/spec.md, "Audit package"

/** Separates the signing domains: receipts and envelopes have no `type`, so a manifest signature never fits them. */
export const AUDIT_PACKAGE_TYPE = 'svc.audit.package.v1';

/** The entries that the manifest cannot list. */
export const MANIFEST_NAME = 'manifest.json';
export const MANIFEST_SIGNATURE_NAME = 'manifest.sig';

/** Maximum bytes of the coverage in a package: some hundred thousand rows. @see docs/spec.md, "Coverage in a package" */
export const MAX_COVERAGE_BYTES = 64 * 1024 * 1024;

/** The requested kind of records; null: any. */
export interface AuditPackageQuery {
  /** First attested at this time or later. */
  readonly attestedFrom: string | null;
  /** First attested before this time. */
  readonly attestedTo: string | null;
  readonly appId: string | null;
  readonly bundleType: string | null;
  readonly status: 'visible' | 'hidden' | null;
  // Stated only when they were requested.
  readonly provider?: string;
  readonly model?: string;
  readonly protocolVersion?: string;
  /** Only records with an external timestamp. */
  readonly timestamped?: true;
  /** Only records with a place in the transparency log. */
  readonly logProof?: true;
  /** Of the certificate or of its reseal. */
  readonly certificateHash?: string;
  readonly executionId?: string;
  /** Only the steps of this project. */
  readonly projectHash?: string;
  /** Only human reviews of this certificate or project. */
  readonly reviewedHash?: string;
}

/** Whether the query has only filters that leaves of the transparency log know, so that it can prove completeness. */
export function isKnownToLog({ status, ...filters }: AuditPackageQuery): boolean {
  return status === null && Object.keys(filters).every((name) => LOG_FILTERS.has(name));
}

export interface AuditPackageEntry {
  readonly name: string;
  /** Bytes, not compressed. */
  readonly size: number;
  readonly sha256: Sha256Hash;
}

export interface AuditPackageManifest {
  readonly type: typeof AUDIT_PACKAGE_TYPE;
  readonly nodeId: string;
  /** The key that signed. */
  readonly kid: string;
  readonly tenantId: string;
  readonly query: AuditPackageQuery;
  /** The package holds every matching record of that time, except those removed while it was made. */
  readonly asOf: string;
  readonly signedAt: string;
  /** Number of records. */
  readonly count: number;
  /** Null in a package of no records. */
  readonly firstCursor: string | null;
  readonly lastCursor: string | null;
  /** Every other entry, in the order of the package. */
  readonly entries: readonly AuditPackageEntry[];
}

/** The text of `manifest.json`, which is also the signed text: the manifest's JCS form. */
export function canonicalManifest(manifest: AuditPackageManifest): string {
  return jcsV1.canonicalize({
    ...manifest,
    query: { ...manifest.query },
    entries: manifest.entries.map((entry) => ({ ...entry })),
  });
}

const LOG_FILTERS: ReadonlySet<string> = new Set(['attestedFrom', 'attestedTo', 'appId', 'bundleType']);

type Rule = (value: JsonValue | undefined) => boolean;

const isText: Rule = (value) => typeof value === 'string' && value !== '';
const isTime: Rule = isTimestamp;
const isCount: Rule = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value);

const orAbsent =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined || rule(value);
const isTrue: Rule = (value) => value === true;

const QUERY_RULES: Readonly<Record<keyof AuditPackageQuery, Rule>> = {
  attestedFrom: orNull(isTime),
  attestedTo: orNull(isTime),
  appId: orNull(isText),
  bundleType: orNull(isText),
  status: orNull((value) => value === 'visible' || value === 'hidden'),
  provider: orAbsent(isText),
  model: orAbsent(isText),
  protocolVersion: orAbsent(isText),
  timestamped: orAbsent(isTrue),
  logProof: orAbsent(isTrue),
  certificateHash: orAbsent(isSha256Hash),
  executionId: orAbsent(isText),
  projectHash: orAbsent(isSha256Hash),
  reviewedHash: orAbsent(isSha256Hash),
};

const ENTRY_RULES: Readonly<Record<keyof AuditPackageEntry, Rule>> = {
  name: isText,
  size: isCount,
  sha256: isSha256Hash,
};

const MANIFEST_RULES: Readonly<Record<keyof AuditPackageManifest, Rule>> = {
  type: (value) => value === AUDIT_PACKAGE_TYPE,
  nodeId: isText,
  kid: isText,
  tenantId: isText,
  query: isJsonObject,
  asOf: isTime,
  signedAt: isTime,
  count: isCount,
  firstCursor: orNull(isText),
  lastCursor: orNull(isText),
  entries: Array.isArray,
};

/** The first member that is unknown or breaks its rule; null for none. */
function faultyMember(value: JsonObject, rules: Readonly<Record<string, Rule>>): string | null {
  const known = new Map(Object.entries(rules));
  const unknown = Object.keys(value).find((name) => !known.has(name));
  if (unknown !== undefined) return 'an unknown member';
  return [...known].find(([name, rule]) => !rule(Object.hasOwn(value, name) ? value[name] : undefined))?.[0] ?? null;
}

function hasRules<T>(
  value: JsonValue | undefined,
  rules: Readonly<Record<keyof T & string, Rule>>,
): value is JsonObject & T {
  return isJsonObject(value) && faultyMember(value, rules) === null;
}

/** A manifest, or the rule that it breaks as a sentence. */
export type ManifestReading =
  | { readonly manifest: AuditPackageManifest; readonly fault: null }
  | { readonly manifest: null; readonly fault: string };

/** Reads a parsed `manifest.json`. Does not check its signature. */
export function readManifest(value: JsonValue): ManifestReading {
  const refuse = (fault: string): ManifestReading => ({ manifest: null, fault });
  if (!isJsonObject(value)) return refuse('must be an object');
  const member = faultyMember(value, MANIFEST_RULES);
  if (member !== null) return refuse(`${member}: is missing, malformed or unknown`);
  const { query, entries } = value;
  if (!hasRules<AuditPackageQuery>(query, QUERY_RULES)) return refuse('query: is malformed');
  if (!isJsonArray(entries) || !entries.every((entry) => hasRules<AuditPackageEntry>(entry, ENTRY_RULES))) {
    return refuse('entries: is malformed');
  }
  return hasRules<AuditPackageManifest>(value, MANIFEST_RULES)
    ? { manifest: value, fault: null }
    : refuse('is malformed');
}
