/** Deterministic keys for tests. Anyone can derive these private keys: never use them on a running node. */
import { sha256 } from '#keys-platform';
import nacl from 'tweetnacl';
import { jwkThumbprint } from '../fingerprint.js';
import { formatKeySet, type KeyLife, type KeySetDocument } from '../key-set-document.js';
import { publicKeyFromRaw } from '../public-key.js';
import type { Signer } from '../signer.js';

export { SIGNER_RULES, type SignerRule } from './signer-rules.js';

/**
 * A signer whose key is derived from the seed alone, identical on every platform.
 * @param options `kid`: a kid other than the key's thumbprint, as other nodes may choose
 */
export function testSigner(seed: number | string, options: { readonly kid?: string } = {}): Signer {
  const pair = nacl.sign.keyPair.fromSeed(sha256(new TextEncoder().encode(`cer test signer ${seed}`)));
  const publicKey = publicKeyFromRaw(pair.publicKey);
  return {
    kid: options.kid ?? jwkThumbprint(publicKey),
    publicKey,
    sign: async (message) => nacl.sign.detached(message, pair.secretKey),
  };
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
