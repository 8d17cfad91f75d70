import type { JsonObject } from '@cer/canonical-json';
import type { KeyEntry } from '@cer/keys';
import type { Relaxation } from '../bundle-types/layout.js';
import type { CerVerifyCode } from '../errors.js';
import type { Sha256Hash } from '../hash.js';
import type { Finding } from '../finding.js';
import { failWith, findingsOf, skipped, type LayerOutcome } from './layer.js';
import type { KeyRescue } from './key-rescue.js';
import type { VerifyOptions } from './options.js';
import type { ReportedTimestamp } from './reported-timestamp.js';
import type { TimestampFinding } from './timestamp-verifier.js';
import { NOT_CHECKED } from './transparency.js';
import type { Transparency } from './transparency-verifier.js';

/** The signed members; reports show these and never an unsigned copy. */
export interface SignedFacts {
  readonly nodeId: string;
  readonly kid: string;
  readonly keyFingerprint: string | null;
  readonly keyStatus: KeyEntry['status'] | null;
  /** Node-issued time. */
  readonly attestedAt: string;
  /** Only where the envelope, or a legacy receipt, signs it. */
  readonly attestationId: string | null;
}

/** The stated original of a reseal. `proven`: its receipt says the same; `claimed`: unsigned. */
export interface ResealProvenance {
  readonly state: 'proven' | 'claimed';
  readonly originalCertificateHash: string | null;
  readonly redactionPolicy: string | null;
}

/** One verification. Every report shape is a view of it. */
export interface Evaluation {
  readonly status: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL' | 'FAILED';
  readonly code: CerVerifyCode;
  readonly integrity: LayerOutcome;
  readonly receipt: LayerOutcome;
  readonly envelope: LayerOutcome;
  readonly nodeSignature: LayerOutcome;
  readonly receiptConsistency: LayerOutcome;
  /** In order of precedence, including the findings of `require…` options. */
  readonly findings: readonly Finding[];
  readonly bundle: JsonObject | null;
  readonly bundleType: string | null;
  readonly certificateHash: Sha256Hash | null;
  readonly computedCertificateHash: Sha256Hash | null;
  readonly protocolVersion: string | null;
  readonly canonicalization: 'svc-v1' | 'jcs-v1' | null;
  readonly isHashOnly: boolean;
  readonly isResealed: boolean;
  readonly relaxations: readonly Relaxation[];
  /** Signals or context-like members exist that the hash does not protect. */
  readonly supplemental: boolean;
  /** Set under protocols that commit to input and output. */
  readonly contentMode: 'HASH_BOUND' | null;
  readonly signed: SignedFacts | null;
  readonly provenance: ResealProvenance | null;
  /** The best external timestamp, else the node's own time; null without either. */
  readonly timestamp: ReportedTimestamp | null;
  /** Every external timestamp that was checked, the best first. */
  readonly timestamps: readonly TimestampFinding[];
  /** The statement of a transparency log about the receipt; it decides only under `requireLog`. */
  readonly transparency: Transparency;
  /** Set when the key was revoked and the receipt is accepted nevertheless. */
  readonly keyRescue: KeyRescue | null;
  /** With a key history: until when a root vouches for its revocations. */
  readonly revocationsKnownUntil: string | null;
  readonly verifiedAt: string;
}

/** The evaluation of an input that is not a bundle: failed, with one finding. */
export function unreadable(finding: Finding, options: Pick<VerifyOptions, 'verifiedAt'>): Evaluation {
  const failed = failWith(finding);
  const absent = skipped('no-attestation');
  return {
    status: 'FAILED',
    code: finding.code,
    integrity: failed,
    receipt: absent,
    envelope: skipped('no-envelope'),
    nodeSignature: absent,
    receiptConsistency: absent,
    findings: findingsOf(failed),
    bundle: null,
    bundleType: null,
    certificateHash: null,
    computedCertificateHash: null,
    protocolVersion: null,
    canonicalization: null,
    isHashOnly: false,
    isResealed: false,
    relaxations: [],
    supplemental: false,
    contentMode: null,
    signed: null,
    provenance: null,
    timestamp: null,
    timestamps: [],
    transparency: NOT_CHECKED,
    keyRescue: null,
    revocationsKnownUntil: null,
    verifiedAt: options.verifiedAt,
  };
}
