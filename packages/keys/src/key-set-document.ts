import type { KeyStatus } from './key-entry.js';
import { toJwk, type Ed25519Jwk } from './jwk.js';
import { toSpkiBase64, type PublicKey } from './public-key.js';
import { KeyError } from './key-error.js';

/** The lifetime of a key, as stored and published. All times are timestamps in the spec's format. */
export interface KeyLife {
  readonly status: KeyStatus;
  readonly createdAt: string;
  readonly notBefore: string;
  readonly retiredAt?: string;
  readonly revokedAt?: string;
  readonly compromisedSince?: string;
  readonly revocationReason?: string;
  /** Only for keys imported from an older node. */
  readonly contextUnprotectedBefore?: string;
}

/** A key before publication. */
export interface PublishableKey extends KeyLife {
  readonly kid: string;
  readonly publicKey: PublicKey;
}

/** An entry of the published document. */
export interface KeySetDocumentEntry extends KeyLife {
  readonly kid: string;
  readonly algorithm: 'Ed25519';
  /** Base64 of the SPKI DER. */
  readonly publicKey: string;
  readonly publicKeyJwk: Ed25519Jwk;
}

/** The JSON that a node publishes at `/.well-known/svc-node.json`. */
export interface KeySetDocument {
  readonly nodeId: string;
  readonly activeKid: string | null;
  readonly keys: readonly KeySetDocumentEntry[];
}

/**
 * Builds the document that a node publishes.
 * @param set `activeKid` is null when no key is active
 * @throws KeyError KEY_SET_INVALID when a kid appears twice or `activeKid` does not name an active key
 * @see docs/spec.md, "Node key set"
 */
export function formatKeySet(set: {
  readonly nodeId: string;
  readonly activeKid: string | null;
  readonly keys: readonly PublishableKey[];
}): KeySetDocument {
  const { nodeId, activeKid, keys } = set;
  const byKid = new Map(keys.map((key) => [key.kid, key]));
  if (byKid.size !== keys.length) throw new KeyError('KEY_SET_INVALID', 'key set: a kid appears more than once');
  if (activeKid !== null && byKid.get(activeKid)?.status !== 'active') {
    throw new KeyError('KEY_SET_INVALID', 'key set: activeKid must name an active key');
  }
  return { nodeId, activeKid, keys: keys.map(formatEntry) };
}

function formatEntry({ kid, publicKey, ...life }: PublishableKey): KeySetDocumentEntry {
  return {
    kid,
    algorithm: 'Ed25519',
    publicKey: toSpkiBase64(publicKey),
    publicKeyJwk: toJwk(publicKey),
    ...lifeOf(life),
  };
}

/**
 * Copies member by member, so that other members of the caller's object (a private key, for example) are not published.
 */
function lifeOf(life: KeyLife): KeyLife {
  const { status, createdAt, notBefore, retiredAt, revokedAt, compromisedSince, revocationReason } = life;
  const { contextUnprotectedBefore } = life;
  return {
    status,
    createdAt,
    notBefore,
    ...(retiredAt !== undefined && { retiredAt }),
    ...(revokedAt !== undefined && { revokedAt }),
    ...(compromisedSince !== undefined && { compromisedSince }),
    ...(revocationReason !== undefined && { revocationReason }),
    ...(contextUnprotectedBefore !== undefined && { contextUnprotectedBefore }),
  };
}
