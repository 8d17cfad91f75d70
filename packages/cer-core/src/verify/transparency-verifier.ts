import type { JsonObject } from '@cer/canonical-json';
import type { TransparencyCode } from '../errors.js';

/** The statements of a transparency log and its witnesses about a receipt, reported besides the layers. */
export interface Transparency {
  readonly status: 'included' | 'invalid' | 'unknown-log' | 'absent' | 'not-checked';
  /** Null without a fault; `LOG_LATE` beside `included` is a remark. */
  readonly code: TransparencyCode | null;
  readonly origin: string | null;
  readonly index: number | null;
  readonly treeSize: number | null;
  /** Independent witnesses had not seen the receipt then: ISO 8601, UTC. */
  readonly loggedAfter: string | null;
  /** A quorum of witnesses had seen the receipt then: ISO 8601, UTC. */
  readonly loggedBy: string | null;
  /** Names that the caller's policy gives to the witnesses that cosigned. */
  readonly witnesses: readonly string[];
  readonly detail: string | null;
}

/** A received proof and the receipt that it must be about. */
export interface TransparencyClaim {
  /** A tlog-proof, and a checkpoint without the receipt; of unknown content. */
  readonly proof: string;
  readonly notBefore: string | null;
  readonly receipt: JsonObject;
  readonly signature: string;
  /** The receipt's time, as it states it. */
  readonly signedAt: string;
  /** The required label of an owner's opening; `kinds` are the allowed ones. */
  readonly label: {
    readonly appId: string | null;
    readonly bundleType: string | null;
    readonly kinds: readonly string[];
  };
}

/** Checks log proofs under the policy that the caller pinned. A port, as `TimestampVerifier` is. */
export type TransparencyVerifier = (claim: TransparencyClaim) => Promise<Omit<Transparency, 'detail'>>;
