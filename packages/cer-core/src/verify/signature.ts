import type { JsonValue } from '@cer/canonical-json';
import {
  decodeBase64Url,
  verifySignature,
  verifySignatureInPool,
  type NodeKeySet,
  type PublicKey,
  type SignatureVerifier,
} from '@cer/keys';
import type { VerifyOptions } from './options.js';
import type { TimestampVerifier } from './timestamp-verifier.js';

const utf8 = new TextEncoder();

/** The trust of the caller and the signature backend. */
export interface Trust {
  readonly keySet: NodeKeySet | null;
  /** A node the caller pinned by name; null: the one the key set names. */
  readonly nodeId: string | null;
  readonly verifySignature: SignatureVerifier;
  /** Null: tokens are ignored. */
  readonly timestamps: TimestampVerifier | null;
}

export const platformVerifier: SignatureVerifier = verifySignature;

/** For the many steps of a project. */
export const pooledVerifier: SignatureVerifier = verifySignatureInPool;

/** The caller's pins, for the layers. */
export function trustOf({ keySet, nodeId, verifySignature, timestamps }: VerifyOptions): Trust {
  return {
    keySet: keySet ?? null,
    nodeId: nodeId ?? null,
    verifySignature: verifySignature ?? platformVerifier,
    timestamps: timestamps ?? null,
  };
}

/** Why a signature does not hold, or null when it does. */
export async function signatureFault(
  trust: Pick<Trust, 'verifySignature'>,
  key: PublicKey,
  text: string,
  signature: JsonValue | undefined,
): Promise<string | null> {
  if (typeof signature !== 'string') return 'must be a string';
  let bytes: Uint8Array;
  try {
    bytes = decodeBase64Url(signature);
  } catch {
    return 'must be base64url without padding';
  }
  return (await trust.verifySignature(key, utf8.encode(text), bytes))
    ? null
    : 'is not valid for this text under this key';
}
