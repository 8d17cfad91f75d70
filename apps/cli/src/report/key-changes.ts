import { rootFingerprintOf } from '@cer/cer-core';
import { keyFingerprint, publicKeyFromBase64, type KeyChange, type KeyHistoryEntry } from '@cer/keys';
import { printable } from './printable.js';

/** An entry of a key history as a row: its number, and its change in plain words. */
export function changeRow({ seq, issuedAt, change }: KeyHistoryEntry): [string, string] {
  return [`${seq}.`, `${inWords(change)} (entered ${issuedAt})`];
}

function inWords(change: KeyChange): string {
  switch (change.type) {
    case 'key-added': {
      const { kid, publicKey, notBefore } = change.key;
      const fingerprint = keyFingerprint(publicKeyFromBase64(publicKey));
      return `Adds the signing key ${printable(kid)}, ${fingerprint}. It may sign from ${notBefore} on.`;
    }
    case 'key-activated':
      return `The node signs with ${printable(change.kid)}.`;
    case 'key-retired':
      return `Retires ${printable(change.kid)}: what it signed up to ${change.retiredAt} stays valid.`;
    case 'key-revoked':
      return `REVOKES ${printable(change.kid)} as of ${change.revokedAt}${why(change)}`;
    case 'root-added':
      return `Adds the root ${rootFingerprintOf(change.root)}${by(change.endorsement)}`;
    case 'root-replaced':
      return `Puts the root ${rootFingerprintOf(change.root)} in the place of ${change.kid}${by(change.endorsement)}`;
    case 'root-revoked':
      return `REVOKES the root ${change.kid}${why(change)}`;
  }
}

function why({ reason, compromisedSince }: { readonly reason: string; readonly compromisedSince?: string }): string {
  return `, because: ${reason}${compromisedSince === undefined ? '' : `, in wrong hands since ${compromisedSince}`}.`;
}

function by(endorsement: { readonly kid: string } | undefined): string {
  return endorsement === undefined
    ? ', which counts only for those who pin it.'
    : `, for which the root ${endorsement.kid} vouches.`;
}
