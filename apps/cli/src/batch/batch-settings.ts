import type { JsonValue } from '@cer/canonical-json';
import type { KeyLookup } from '../trusted-keys/key-material.js';

/** The arguments of a batch. */
export interface BatchCall {
  readonly sources: readonly string[];
  readonly keys: KeyLookup;
  /** Null: timestamps are not checked. */
  readonly tsaRootsPem: string | null;
  /** Null: log proofs are not checked. */
  readonly logPolicyText: string | null;
  readonly requireLog: boolean;
  readonly nodeId: string | null;
  readonly requireAttestation: boolean;
  readonly maxBytes: number;
  readonly asJson: boolean;
}

/** The settings that verify every item of a batch; plain data, so that they can be sent to a thread. */
export interface BatchSettings {
  /** The key set document; null: no keys. */
  readonly keyDocument: JsonValue | null;
  /** With a pinned root: the time up to which it vouches for the keys. */
  readonly revocationsKnownUntil: string | null;
  readonly tsaRootsPem: string | null;
  /** Null: log proofs are not checked. */
  readonly logPolicyText: string | null;
  readonly requireLog: boolean;
  readonly nodeId: string | null;
  readonly requireAttestation: boolean;
  readonly maxBytes: number;
  readonly verifiedAt: string;
}

/** One item to verify: a file to read, or the bytes of one line, which may be wrapped in one more level. */
export type BatchItem =
  | { readonly name: string; readonly path: string; readonly fault?: never }
  | { readonly name: string; readonly bytes: Uint8Array; readonly levelsAround?: number; readonly fault?: never }
  | { readonly name: string; readonly fault: string };

/** Items that one thread verifies in one message, and the number of source bytes they represent. */
export interface Chunk {
  readonly items: readonly BatchItem[];
  readonly progress: number;
}
