/** Deterministic keys for tests. Anyone can derive these private keys: never use them on a running node. */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { jwkThumbprint } from '../fingerprint.js';
import { formatKeySet, type KeyLife, type KeySetDocument } from '../key-set-document.js';
import { NativeSigner } from '../native-signer.js';
import { publicKeyFromSpki } from '../public-key.js';
import type { Signer } from '../signer.js';

export { SIGNER_RULES, type SignerRule } from './signer-rules.js';

/** What precedes the 32 bytes of an Ed25519 private key in PKCS#8 (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * A signer whose key is derived from the seed alone.
 * @param options `kid`: a kid other than the key's thumbprint, as other nodes may choose
 */
export function testSigner(seed: number | string, options: { readonly kid?: string } = {}): Signer {
  const seedBytes = createHash('sha256').update(`cer test signer ${seed}`).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seedBytes]), format: 'der', type: 'pkcs8' });
  const publicKey = publicKeyFromSpki(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }));
  const kid = options.kid ?? jwkThumbprint(publicKey);
  const signer = new NativeSigner(kid, publicKey, privateKey);
  // Of own members alone: tests spread it.
  return { kid, publicKey, sign: (message) => signer.sign(message) };
}

/** A signer in a test key set; active and without an end by default. */
export interface TestKey extends Partial<KeyLife> {
  readonly signer: Signer;
}

/** Default start of the keys in a test key set. */
const LONG_AGO = '2020-01-01T00:00:00.000Z';

/**
 * The published key set of a test node; `activeKid` is the first active key.
 * @returns the document, to tamper with or to pass to `parseKeySet`
 */
export function testKeySet(set: { readonly nodeId?: string; readonly signers: readonly TestKey[] }): KeySetDocument {
  const keys = set.signers.map(({ signer, ...life }) => ({
    status: 'active' as const,
    createdAt: LONG_AGO,
    notBefore: LONG_AGO,
    ...life,
    kid: signer.kid,
    publicKey: signer.publicKey,
  }));
  const activeKid = keys.find((key) => key.status === 'active')?.kid ?? null;
  return formatKeySet({ nodeId: set.nodeId ?? 'test-node', activeKid, keys });
}
