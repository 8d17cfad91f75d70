import { keyFingerprint, toSpkiBase64 } from '@cer/keys';
import { visible } from '@cer/pages/visible';
import { readKeySet } from './check-artefact.js';

/** A key as people compare it. */
export interface ListedKey {
  readonly kid: string;
  readonly status: 'active' | 'retired' | 'revoked';
  readonly isActiveKid: boolean;
  readonly fingerprint: string | null;
  readonly publicKey: string | null;
  /** The reason why it can verify nothing, if any. */
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

/** @throws KeyError KEY_SET_INVALID, JsonError when the text is not strict JSON */
export function listKeys(keySetText: string): KeyList {
  const { nodeId, activeKid, entries } = readKeySet(keySetText);
  const keys = [...entries.values()].map((entry): ListedKey => {
    const { kid, status, key } = entry;
    return {
      kid: visible(kid),
      status,
      isActiveKid: kid === activeKid,
      fingerprint: key.usable ? keyFingerprint(key.publicKey) : null,
      publicKey: key.usable ? toSpkiBase64(key.publicKey) : null,
      fault: key.usable ? null : visible(key.reason),
      notBefore: shown(entry.notBefore),
      retiredAt: shown(entry.retiredAt),
      revokedAt: shown(entry.revokedAt),
      compromisedSince: shown(entry.compromisedSince),
      revocationReason: shown(entry.revocationReason),
    };
  });
  return { nodeId: visible(nodeId), keys };
}

function shown(text: string | undefined): string | null {
  return text === undefined ? null : visible(text);
}
