export type RecordKind = 'full' | 'hash-only';

/** `hidden` can be undone, `deleted` cannot: its JSON is gone. */
export type Visibility = 'visible' | 'hidden' | 'deleted';

/** One attested certificate of one tenant, unique on (tenant, certificateHash, kind). */
export interface CertificateRecord {
  readonly tenantId: string;
  readonly certificateHash: string;
  readonly kind: RecordKind;
  /** Null for hash-only records. */
  readonly executionId: string | null;
  readonly bundleType: string;
  readonly protocolVersion: string | null;
  readonly appId: string | null;
  /** Of the described execution; null for other bundles, and where the database cannot store it. */
  readonly provider: string | null;
  readonly model: string | null;
  /** A UUID, new for every attestation. */
  readonly attestationId: string;
  /** The node's time: ISO 8601, UTC, milliseconds, `Z`. */
  readonly attestedAt: string;
  readonly kid: string;
  /** The request that created the record. */
  readonly requestId: string;
  /** The sealed bundle without `meta`; null when it contains raw values, which are never stored. */
  readonly bundleJson: string | null;
  /** The `meta` members created by the node. */
  readonly metaJson: string;
  /** The public form when it cannot be derived (a reseal); null otherwise. */
  readonly publicCerJson: string | null;
  readonly resealedCertificateHash: string | null;
  readonly visibility: Visibility;
}
