import type { CerVerifyCode, Finding } from '@cer/cer-core';
import type { PictureCheck } from '@cer/cer-core/picture';
import type { Review } from '@cer/cer-core/review';
import type { KeyHistoryFinding } from '@cer/cer-core/logs';
import type {
  KeyRescue,
  NodeVerifyResponse,
  ProjectVerifyResponse,
  ReportedTimestamp,
  Transparency,
  VerificationReport,
} from '@cer/cer-core/verify';

// Result of a check, as plain data: a worker sends it to its page, and server and browser show it by one view.

/** Name of the verifier in every report. */
export const VERIFIER_NAME = '@cer/verifier/0.1.0';

/** Source of the keys. Keys inside the checked artefact are never used. */
export interface KeySource {
  readonly kind: 'node' | 'file' | 'embedded';
  /** An address or a file name. */
  readonly where: string;
  /** ISO-8601: when they were fetched, or loaded and confirmed. */
  readonly at: string;
  /** Set where the keys come from a key history: the root that vouches for them, which the visitor pinned. */
  readonly voucher?: KeyVoucher;
}

/** The root that vouches for a key set, and the extent. @see docs/spec.md, "Key history verification" */
export interface KeyVoucher {
  readonly nodeId: string;
  readonly rootFingerprint: string;
  readonly version: number;
  readonly revocationsKnownUntil: string;
  readonly nextUpdate: string;
  readonly notices: readonly KeyHistoryFinding[];
}

export interface LayerResult {
  readonly status: 'PASS' | 'FAIL' | 'SKIPPED';
  /** Reason of SKIPPED; `no-keys` for a FAIL caused only by missing keys; `resealed` for the PASS of a reseal. */
  readonly reason?: string;
  /** Of FAIL, member and rule. */
  readonly detail?: string;
}

/** Members of the bundle except raw input and output, which are never shown. */
export interface ShownMember {
  /** JSON path, e.g. `snapshot.model`. */
  readonly path: string;
  readonly value: string;
  readonly kind: 'text' | 'json' | 'hash' | 'sealed' | 'withheld';
}

export interface ShownSignal {
  readonly type: string;
  readonly source: string;
  readonly payload: string;
}

/** The texts for a check by hand; only those verified here. */
export interface HandCheck {
  readonly certificate: { readonly profile: string; readonly text: string } | null;
  readonly receipt: {
    readonly text: string;
    readonly signature: string;
    readonly kid: string;
    /** Standard base64 of the SPKI DER. */
    readonly publicKey: string | null;
  } | null;
}

export interface CertificateCheck {
  readonly kind: 'certificate';
  readonly status: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL' | 'FAILED';
  readonly code: CerVerifyCode;
  readonly report: VerificationReport;
  /** The same evaluation as the node's verify route would present it. */
  readonly nodeResponse: NodeVerifyResponse;
  readonly layers: Readonly<Record<'integrity' | 'receipt' | 'envelope', LayerResult>>;
  readonly findings: readonly Finding[];
  /** Set for an intact review by a person. */
  readonly review: Review | null;
  /** Set where the certificate came in a picture. */
  readonly picture: PictureCheck | null;
  readonly facts: CertificateFacts;
  readonly members: readonly ShownMember[];
  readonly signals: readonly ShownSignal[];
  readonly handCheck: HandCheck;
  readonly keySource: KeySource | null;
  /** The certificate is intact, and of a picture that `/redraw.html` can draw. */
  readonly isRedrawable: boolean;
}

export interface CertificateFacts {
  readonly certificateHash: string | null;
  readonly computedCertificateHash: string | null;
  readonly originalCertificateHash: string | null;
  readonly provenance: 'proven' | 'claimed' | null;
  readonly redactionPolicy: string | null;
  readonly bundleType: string | null;
  readonly protocolVersion: string | null;
  readonly canonicalization: string | null;
  readonly createdAt: string | null;
  readonly attestedAt: string | null;
  readonly nodeId: string | null;
  readonly kid: string | null;
  readonly keyFingerprint: string | null;
  readonly keyStatus: string | null;
  /** The best external timestamp, else the node's own time. */
  readonly timestamp: ReportedTimestamp | null;
  /** Set where the key was revoked and a timestamp shows that the receipt is older. */
  readonly keyRescue: KeyRescue | null;
  /** The statement of a transparency log about the receipt; reported besides the layers. */
  readonly transparency: Transparency;
  readonly isHashOnly: boolean;
  readonly isResealed: boolean;
  readonly isConfidential: boolean;
  readonly relaxations: readonly string[];
  readonly supplemental: boolean;
}

export interface StepView {
  readonly stepId: string;
  readonly label: string | null;
  readonly sequence: number | null;
  readonly executionId: string | null;
  readonly certificateHash: string;
  readonly parents: readonly string[];
  readonly status: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL' | 'FAILED' | 'WITHDRAWN';
  readonly code: CerVerifyCode;
  readonly isAttested: boolean;
  readonly breaksChain: boolean;
  readonly findings: readonly Finding[];
}

export interface ProjectCheck {
  readonly kind: 'project';
  readonly status: 'VERIFIED' | 'FAILED';
  readonly code: CerVerifyCode;
  readonly report: VerificationReport & { readonly projectHash: string | null };
  readonly nodeResponse: Omit<ProjectVerifyResponse, 'steps'>;
  readonly nodeReceipt: LayerResult;
  readonly findings: readonly Finding[];
  readonly title: string | null;
  readonly goal: string | null;
  readonly projectHash: {
    readonly submitted: string | null;
    readonly computed: string | null;
    readonly valid: boolean;
  };
  readonly structuralValid: boolean;
  /** Every step is present, passed and signed. */
  readonly isWhole: boolean;
  readonly registeredAt: string | null;
  readonly timestamp: ReportedTimestamp | null;
  readonly keyRescue: KeyRescue | null;
  readonly transparency: Transparency;
  readonly nodeId: string | null;
  readonly kid: string | null;
  readonly keyFingerprint: string | null;
  readonly hasChain: boolean;
  readonly steps: readonly StepView[];
  readonly handCheck: HandCheck;
  readonly keySource: KeySource | null;
}

export type ArtefactCheck = CertificateCheck | ProjectCheck;
