import { testSigner } from '@cer/keys/testing';
import { leafHash } from '../merkle/hash.js';
import { treeOfLeafHashes, type MerkleTree } from '../merkle/tree.js';
import { signCheckpoint } from '../note/checkpoint.js';
import { formatVkey, noteKeyOf, type NoteKey } from '../note/vkey.js';
import { formatTlogProof } from '../proof/tlog-proof.js';
import { encodeEntryBundle } from '../tiles/entry-bundle.js';
import { TILE_WIDTH, type TileName } from '../tiles/tile-path.js';
import type { TestWitness } from './test-witness.js';

/** A log in memory, which signs any head: two trees of one origin are two of these. */
export class TestLog {
  readonly origin: string;
  readonly key: NoteKey;
  readonly #signer;
  readonly #entries: Uint8Array[] = [];
  #tree: MerkleTree | null = null;

  constructor(origin: string) {
    this.origin = origin;
    this.#signer = testSigner(`log ${origin}`);
    this.key = noteKeyOf(origin, 'ed25519', this.#signer.publicKey.raw);
  }

  get vkey(): string {
    return formatVkey(this.key);
  }

  get size(): number {
    return this.#entries.length;
  }

  get tree(): MerkleTree {
    this.#tree ??= treeOfLeafHashes(this.#entries.map(leafHash));
    return this.#tree;
  }

  /** @returns the index of the first */
  append(...entries: readonly Uint8Array[]): number {
    const first = this.#entries.length;
    this.#entries.push(...entries);
    this.#tree = null;
    return first;
  }

  /** Entries of 33 bytes that differ by `seed` and place. */
  appendMany(count: number, seed = 0): void {
    for (let at = 0; at < count; at++) {
      const entry = new Uint8Array(33).fill(seed);
      entry[0] = 1;
      new DataView(entry.buffer).setUint32(29, this.#entries.length);
      this.append(entry);
    }
  }

  /** A checkpoint with the log's line, and those of witnesses at their times in seconds since 1970. */
  async checkpoint(
    size = this.size,
    cosigners: readonly (readonly [witness: TestWitness, time: number])[] = [],
  ): Promise<string> {
    const head = { origin: this.origin, size, root: this.tree.rootAt(size) };
    const note = await signCheckpoint(head, this.key, this.#signer);
    const text = note.slice(0, note.indexOf('\n\n') + 1);
    const lines = await Promise.all(cosigners.map(([witness, time]) => witness.cosign(text, time)));
    return note + lines.join('');
  }

  /** A tlog-proof of an entry under a checkpoint of this log. */
  proof(index: number, checkpoint: string, extra: Uint8Array = new Uint8Array(0)): string {
    const size = Number(checkpoint.split('\n')[1]);
    return formatTlogProof({ index, extra, path: this.tree.inclusionPath(index, size), checkpoint });
  }

  /** The bytes of a tile or entry bundle; null beyond the log. */
  tile({ level, index, width }: TileName): Uint8Array | null {
    const first = index * TILE_WIDTH;
    if (level === 'entries') {
      const entries = this.#entries.slice(first, first + width);
      return entries.length < width ? null : encodeEntryBundle(entries);
    }
    const span = TILE_WIDTH ** level;
    if ((first + width) * span > this.size) return null;
    const hashes = Array.from({ length: width }, (_, at) => {
      const start = (first + at) * span;
      return treeOfLeafHashes(this.#entries.slice(start, start + span).map(leafHash)).root;
    });
    return Uint8Array.from(hashes.flatMap((hash) => [...hash]));
  }
}
