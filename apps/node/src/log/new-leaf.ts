import { randomFillSync } from 'node:crypto';
import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { receiptDigest, type LeafKind } from '@cer/tlog/leaf';
import type { LeafSource, NewLeaf } from '../store/index.js';

/** The content of a label; number and tenant are added as the leaf gets its place. */
export interface LeafFacts {
  readonly kind: LeafKind;
  /** The time of the receipt. */
  readonly at: string;
  readonly appId: string | null;
  readonly bundleType: string | null;
}

const SEED_BYTES = 32;

/** The leaf of a receipt, with its own seed. @see docs/spec.md, "Transparency log" */
export function newLeaf(
  source: Exclude<LeafSource, 'deletion'>,
  { kind, at, appId, bundleType }: LeafFacts,
  signed: { readonly receipt: JsonValue; readonly signature: string },
): NewLeaf {
  return {
    source,
    labelJson: JSON.stringify({ appId, at, bundleType, kind }),
    digest: receiptDigest(signed.receipt, signed.signature),
    seed: newSeed(),
  };
}

/** Number of seeds drawn at once, because a call costs more than its bytes. */
const SEEDS_A_DRAW = 64;

const drawn = new Uint8Array(SEED_BYTES * SEEDS_A_DRAW);
let given = drawn.length;

/** 32 random bytes. */
export function newSeed(): Uint8Array {
  if (given === drawn.length) {
    randomFillSync(drawn);
    given = 0;
  }
  const seed = drawn.slice(given, given + SEED_BYTES);
  // Erased here, so that the returned seed is the only copy.
  drawn.fill(0, given, given + SEED_BYTES);
  given += SEED_BYTES;
  return seed;
}

/** Receipt and signature of an attestation of this node. */
export function signedPart(attestation: JsonObject): { readonly receipt: JsonValue; readonly signature: string } {
  const { receipt, signature } = attestation;
  if (receipt === undefined || typeof signature !== 'string') throw new Error('an attestation has a signed receipt');
  return { receipt, signature };
}
