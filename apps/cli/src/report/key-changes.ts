import { rootFingerprintOf } from '@cer/cer-core/logs';
import { keyFingerprint, publicKeyFromBase64 } from '@cer/keys';
import type { KeyChange, KeyHistoryEntry } from '@cer/keys/key-history';
import { printable } from '../printable.js';
import type { Row } from './lay-out.js';

/** The fingerprint of a root: people compare these, while entries name roots by kid. */
type NameOfRoot = (kid: string) => string;

/**
 * Entries of a key history as rows: the number of each, and its change in plain words.
 * @param history all entries up to the last of these, including the roots that they name
 */
export function changeRows(entries: readonly KeyHistoryEntry[], history: readonly KeyHistoryEntry[]): readonly Row[] {
  const roots = history.flatMap(({ change }) => ('root' in change ? [change.root] : []));
  const names = new Map(roots.map((root) => [root.kid, rootFingerprintOf(root)]));
  const nameOf: NameOfRoot = (kid) => names.get(kid) ?? printable(kid);
  return entries.map(({ seq, issuedAt, change }) => [`${seq}.`, `${inWords(change, nameOf)} (entered ${issuedAt})`]);
}

function inWords(change: KeyChange, nameOf: NameOfRoot): string {
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
      return `Adds the root ${rootFingerprintOf(change.root)}${by(change.endorsement, nameOf)}`;
    case 'root-replaced':
      return `Replaces the root by ${rootFingerprintOf(change.root)}: no longer ${nameOf(change.kid)}${by(change.endorsement, nameOf)}`;
    case 'root-revoked':
      return `REVOKES the root ${nameOf(change.kid)}${why(change)}`;
  }
}

function why({ reason, compromisedSince }: { readonly reason: string; readonly compromisedSince?: string }): string {
  return ` (reason: ${reason}${compromisedSince === undefined ? '' : `, compromised since ${compromisedSince}`}).`;
}

function by(endorsement: { readonly kid: string } | undefined, nameOf: NameOfRoot): string {
  return endorsement === undefined
    ? ', which is valid only for verifiers that pin it.'
    : `, for which the root ${nameOf(endorsement.kid)} vouches.`;
}
