import type { JsonObject } from '@cer/canonical-json';
import type { ConflictHashes } from './conflict-hashes.js';

/** Facts about a received execution, without its content. */
export interface ItemLabel {
  readonly index: number;
  readonly executionId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
}

/** One execution on its way: a certify request for the node, or a refusal that the bridge found itself. */
export type Item = ItemLabel & ({ readonly line: Uint8Array } | { readonly refusal: ItemRefusal });

export interface ItemRefusal {
  /** The HTTP number a single request would get. */
  readonly status: number;
  /** Names the field and the rule, never the value. */
  readonly error: string;
  /** For a temporary refusal: when to send again. */
  readonly retryAfterS?: number;
}

/** The outcome of an item. */
export type Outcome = ItemLabel & {
  /** The node's own answer, where it gave one. */
  readonly answer?: JsonObject;
} & (
    | {
        readonly ok: true;
        readonly certificateHash: string;
        readonly verificationUrl: string;
        /** The certified bundle, checked. */
        readonly cer: JsonObject;
      }
    | {
        readonly ok: false;
        readonly refusal: ItemRefusal;
        /** Refused by the bridge itself: the node never saw it. */
        readonly isUnsent?: true;
        /** When the executionId is certified with other content: the hashes of that content and of what was sent. */
        readonly conflict?: ConflictHashes;
      }
  );

/** @see docs/spec.md, "Evidence bridge: machine path" */
export interface ItemResult {
  readonly index: number;
  readonly ok: boolean;
  readonly status: number;
  readonly certificateHash: string | null;
  readonly verificationUrl: string | null;
  readonly error?: string;
}

/** An outcome as clients see it: nothing of the bundle, no openings. */
export function resultOf(outcome: Outcome): ItemResult {
  const { index } = outcome;
  if (outcome.ok) {
    const { certificateHash, verificationUrl } = outcome;
    return { index, ok: true, status: 200, certificateHash, verificationUrl };
  }
  const { status, error } = outcome.refusal;
  return { index, ok: false, status, certificateHash: null, verificationUrl: null, error };
}
