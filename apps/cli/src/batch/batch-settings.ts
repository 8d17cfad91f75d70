import type { JsonValue } from '@cer/canonical-json';
import type { KeyLookup } from '../trusted-keys/key-material.js';

/** A batch as it was called for. */
export interface BatchCall {
  readonly sources: readonly string[];
  readonly keys: KeyLookup;
  /** Null: timestamps are not checked. */
  readonly tsaRootsPem: string | null;
  readonly nodeId: string | null;
  readonly requireAttestation: boolean;
  readonly maxBytes: number;
  readonly asJson: boolean;
}

/** What every item of a batch is verified with; plain data, so that it can go to another thread. */
export interface BatchSettings {
  /** The key set document; null: no keys. */
  readonly keyDocument: JsonValue | null;
  /** Where a root vouches for the keys: up to when. */
  readonly revocationsKnownUntil: string | null;
  readonly tsaRootsPem: string | null;
  readonly nodeId: string | null;
  readonly requireAttestation: boolean;
  readonly maxBytes: number;
  readonly verifiedAt: string;
}

/** One thing to verify: a file to be read, or the bytes of one line, around which we may have put a level of our own. */
export type BatchItem =
  | { readonly name: string; readonly path: string; readonly fault?: never }
  | { readonly name: string; readonly bytes: Uint8Array; readonly levelsAround?: number; readonly fault?: never }
  | { readonly name: string; readonly fault: string };

/** Items that one thread verifies in one message, and the number of source bytes they represent. */
export interface Chunk {
  readonly items: readonly BatchItem[];
  readonly progress: number;
}
