import type { Json, JsonMembers } from '../json.js';

/** A certificate as the node answers it. @see docs/spec.md, "Certify response" */
export interface Certified extends JsonMembers {
  readonly ok: true;
  /** The whole certificate: store this. */
  readonly cer: JsonMembers;
  readonly certificateHash: string;
  readonly bundleType: string;
  readonly attestationId: string;
  readonly issuedAt: string;
  readonly kid: string;
  readonly receipt: JsonMembers;
  readonly signature: string;
  readonly signatureB64Url: string;
  readonly verificationUrl: string;
  readonly requestId: string;
  /** Under 1.3.1 only: the salts that open input and output. */
  readonly openings?: JsonMembers;
}

/** @see docs/spec.md, "POST /v1/cer/verify" */
export interface Verified extends JsonMembers {
  readonly status: 'verified' | 'failed';
  readonly reasonCode: string;
  readonly checks: JsonMembers;
}

/** One row of the list of records. @see docs/spec.md, "GET /v1/records" */
export interface RecordRow extends JsonMembers {
  readonly certificateHash: string;
  readonly kind: 'full' | 'hash-only';
  readonly bundleType: string;
  readonly executionId: string | null;
  readonly appId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly firstAttestedAt: string;
  readonly timestampedAt: string | null;
  readonly status: 'visible' | 'hidden';
  readonly cursor: string;
  readonly verificationUrl: string;
}

/** Filters of records; times are dates or times. @see docs/spec.md, "GET /v1/records" */
export interface RecordFilter {
  readonly attestedFrom?: string | undefined;
  readonly attestedTo?: string | undefined;
  readonly appId?: string | undefined;
  readonly bundleType?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly protocolVersion?: string | undefined;
  /** `visible` or `hidden`. */
  readonly status?: string | undefined;
  readonly timestamped?: true | undefined;
  readonly logProof?: true | undefined;
  readonly certificateHash?: string | undefined;
  readonly executionId?: string | undefined;
  readonly projectHash?: string | undefined;
  readonly reviewedHash?: string | undefined;
}

/** The key of a public lookup. */
export type LookupKey = { readonly certificateHash: string } | { readonly executionId: string };

/** The request of certify and create; a member that is null is absent. @see docs/spec.md, "Describing an execution" */
export interface ExecutionRequest extends JsonMembers {
  readonly provider: string;
  readonly model: string;
  readonly input?: Json;
  readonly output?: Json;
  readonly inputHash?: string | null;
  readonly outputHash?: string | null;
  readonly executionId?: string | null;
  readonly protocolVersion?: '1.2.0' | '1.3.0' | '1.3.1' | null;
}
