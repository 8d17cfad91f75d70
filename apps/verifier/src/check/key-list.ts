import { keyFingerprint, toSpkiBase64 } from '@cer/keys';
import { readKeySet } from './check-artefact.js';

/** A key as people compare it. */
export interface ListedKey {
  readonly kid: string;
  readonly status: 'active' | 'retired' | 'revoked';
  readonly isActiveKid: boolean;
  readonly fingerprint: string | null;
  readonly publicKey: string | null;
  /** Why it can verify nothing, where that is so. */
  readonly fault: string | null;
  readonly notBefore: string | null;
  readonly retiredAt: string | null;
  readonly revokedAt: string | null;
  readonly compromisedSince: string | null;
  readonly revocationReason: string | null;
}

export interface KeyList {
  readonly nodeId: string;
  readonly keys: readonly ListedKey[];
}

/** @throws KeyError KEY_SET_INVALID, SyntaxError */
export function listKeys(keySetText: string): KeyList {
  const { nodeId, activeKid, entries } = readKeySet(keySetText);
  const keys = [...entries.values()].map((entry): ListedKey => {
    const { kid, status, key } = entry;
    return {
      kid,
      status,
      isActiveKid: kid === activeKid,
      fingerprint: key.usable ? keyFingerprint(key.publicKey) : null,
      publicKey: key.usable ? toSpkiBase64(key.publicKey) : null,
      fault: key.usable ? null : key.reason,
      notBefore: entry.notBefore ?? null,
      retiredAt: entry.retiredAt ?? null,
      revokedAt: entry.revokedAt ?? null,
      compromisedSince: entry.compromisedSince ?? null,
      revocationReason: entry.revocationReason ?? null,
    };
  });
  return { nodeId, keys };
}
