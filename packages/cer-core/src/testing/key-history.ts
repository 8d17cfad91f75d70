import { keyFingerprint, toSpkiBase64, type Signer } from '@cer/keys';
import {
  KEY_HISTORY_TYPE,
  type HistoryKey,
  type KeyChange,
  type KeyHistoryDocument,
  type KeyHistoryEntry,
  type RootIntroduction,
  type RootKey,
} from '@cer/keys/key-history';
import { testSigner } from '@cer/keys/testing';
import { nextKeyHistoryEntry, nextRootEntry } from '../key-history/append.js';
import { makeKeySetStatement, signKeySetStatement } from '../key-history/statement.js';

/** A root as the history writes it. */
export function rootKeyOf({ kid, publicKey }: Signer): RootKey {
  return { kid, publicKey: toSpkiBase64(publicKey) };
}

/** A signing key as the history writes it, in force since 2020 by default. */
export function historyKeyOf(signer: Signer, notBefore = '2020-01-01T00:00:00.000Z'): HistoryKey {
  const { kid, publicKey } = signer;
  return { kid, algorithm: 'Ed25519', publicKey: toSpkiBase64(publicKey), createdAt: notBefore, notBefore };
}

/** A node's key history that grows in a test; each entry is dated one day after the one before. */
export class TestKeyHistory {
  readonly nodeId: string;
  readonly root: Signer;
  readonly entries: KeyHistoryEntry[] = [];
  #version = 0;

  /** Starts with `root` and, as the signing key, `signer`. */
  constructor(options: { readonly nodeId?: string; readonly root?: Signer; readonly signer?: Signer } = {}) {
    this.nodeId = options.nodeId ?? 'test-node';
    this.root = options.root ?? testSigner('root');
    const signer = options.signer ?? testSigner(1);
    this.add({ type: 'root-added', root: rootKeyOf(this.root) });
    this.add({ type: 'key-added', key: historyKeyOf(signer) });
    this.add({ type: 'key-activated', kid: signer.kid });
  }

  /** The pin of a verifier. */
  get rootFingerprint(): string {
    return keyFingerprint(this.root.publicKey);
  }

  add(change: KeyChange): this {
    this.entries.push(nextKeyHistoryEntry(this, { issuedAt: this.#nextDay(), change }));
    return this;
  }

  async addRoot(change: RootIntroduction, endorser: Signer): Promise<this> {
    this.entries.push(await nextRootEntry(this, { issuedAt: this.#nextDay(), change }, endorser));
    return this;
  }

  /** The document with a fresh statement over all entries, signed by `roots` and valid for 30 days. */
  async signed(...roots: readonly Signer[]): Promise<KeyHistoryDocument> {
    const issuedAt = this.#nextDay();
    const nextUpdate = new Date(Date.parse(issuedAt) + 30 * 86_400_000).toISOString();
    const statement = makeKeySetStatement(this, { version: ++this.#version, issuedAt, nextUpdate });
    const signers = roots.length === 0 ? [this.root] : roots;
    const signatures = await Promise.all(signers.map((root) => signKeySetStatement(statement, root)));
    return { type: KEY_HISTORY_TYPE, nodeId: this.nodeId, entries: [...this.entries], statement, signatures };
  }

  #nextDay(): string {
    return new Date(Date.UTC(2026, 0, 1 + this.entries.length)).toISOString();
  }
}
