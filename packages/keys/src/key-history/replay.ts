import { KeyError } from '../key-error.js';
import { formatKeySet, type KeySetDocument, type PublishableKey } from '../key-set-document.js';
import { publicKeyFromBase64 } from '../public-key.js';
import { compareTimestamps, parseTimestamp } from '../timestamp.js';
import type { KeyChange, RevocationReason } from './change.js';
import type { KeyHistoryEntry } from './document.js';
import { refusal } from './read.js';

/** A root after the last change. */
export interface HistoryRoot {
  readonly kid: string;
  /** Base64 of the SPKI DER. */
  readonly publicKey: string;
  readonly status: 'live' | 'replaced' | 'revoked';
  /** Time of its entry. */
  readonly addedAt: string;
  /** Kid of the root that endorsed it; the signature is not verified here. */
  readonly endorsedBy: string | null;
  readonly replacedBy?: string;
  readonly endedAt?: string;
  readonly reason?: RevocationReason;
  readonly compromisedSince?: string;
}

/** The result of a list of changes. */
export interface ReplayedHistory {
  /** The key set; keys in the order of their addition. */
  readonly keySet: KeySetDocument;
  /** By kid, in the order of their addition. */
  readonly roots: ReadonlyMap<string, HistoryRoot>;
}

/**
 * Applies the changes of a key history in order.
 * @param entries parsed; their hash chain is not verified here
 * @param head number of entries that the result covers; later ones are only checked. All by default
 * @throws KeyError KEY_HISTORY_INVALID for a change that is impossible at its position: an unknown or duplicate kid, a
 * key that is already retired or revoked, a revocation weaker than the previous one, times out of order
 * @see docs/spec.md, "Key history"
 */
export function replayKeyHistory(
  nodeId: string,
  entries: readonly KeyHistoryEntry[],
  head = entries.length,
): ReplayedHistory {
  const replay = new Replay();
  let before: KeyHistoryEntry | null = null;
  let covered: ReplayedHistory | null = null;
  for (const [at, entry] of entries.entries()) {
    if (at === head) covered = replay.result(nodeId);
    const place = `entries[${at}]`;
    if (before !== null && entry.issuedAt < before.issuedAt) {
      throw refusal(`${place}.issuedAt`, 'must not be before that of the entry before');
    }
    replay.apply(entry, `${place}.change`);
    before = entry;
  }
  return covered ?? replay.result(nodeId);
}

class Replay {
  readonly #roots = new Map<string, HistoryRoot>();
  readonly #keys = new Map<string, PublishableKey>();
  /** Every key ever added, signing or root: a key with both roles could sign in one for the other. */
  readonly #publicKeys = new Set<string>();
  #activeKid: string | null = null;

  apply({ issuedAt, change }: KeyHistoryEntry, place: string): void {
    switch (change.type) {
      case 'key-added':
        this.#addKey(change.key, place);
        return;
      case 'key-activated': {
        const key = this.#keyOf(change.kid, place);
        if (key.status !== 'active') throw refusal(`${place}.kid`, 'names a key that was retired or revoked');
        if (this.#activeKid === key.kid) throw refusal(`${place}.kid`, 'names the key that is active already');
        this.#activeKid = key.kid;
        return;
      }
      case 'key-retired': {
        const key = this.#keyOf(change.kid, place);
        if (key.status !== 'active') throw refusal(`${place}.kid`, 'names a key that was retired or revoked');
        notAfter(change.retiredAt, issuedAt, `${place}.retiredAt`, 'issuedAt');
        notAfter(key.notBefore, change.retiredAt, `${place}.kid: notBefore`, 'retiredAt');
        this.#end(key, { ...key, status: 'retired', retiredAt: change.retiredAt });
        return;
      }
      case 'key-revoked':
        this.#revokeKey(change, issuedAt, place);
        return;
      case 'root-added':
        this.#addRoot(change.root, change.endorsement?.kid ?? null, issuedAt, place);
        return;
      case 'root-replaced': {
        const old = this.#rootOf(change.kid, place);
        if (old.status !== 'live') throw refusal(`${place}.kid`, 'names a root that was replaced or revoked');
        this.#addRoot(change.root, change.endorsement?.kid ?? null, issuedAt, place);
        this.#roots.set(old.kid, { ...old, status: 'replaced', replacedBy: change.root.kid, endedAt: issuedAt });
        return;
      }
      case 'root-revoked': {
        const { kid, reason, compromisedSince } = change;
        const root = this.#rootOf(kid, place);
        if (root.status === 'revoked') throw refusal(`${place}.kid`, 'names a root that was revoked');
        if (compromisedSince !== undefined) {
          notAfter(compromisedSince, issuedAt, `${place}.compromisedSince`, 'issuedAt');
        }
        const since = compromisedSince === undefined ? {} : { compromisedSince };
        this.#roots.set(kid, { ...root, status: 'revoked', endedAt: issuedAt, reason, ...since });
      }
    }
  }

  /** A copy: later changes do not alter it. */
  result(nodeId: string): ReplayedHistory {
    const keySet = formatKeySet({ nodeId, activeKid: this.#activeKid, keys: [...this.#keys.values()] });
    return { keySet, roots: new Map(this.#roots) };
  }

  #addKey(added: Extract<KeyChange, { type: 'key-added' }>['key'], place: string): void {
    if (this.#keys.has(added.kid)) throw refusal(`${place}.key.kid`, 'is known already');
    this.#claim(added.publicKey, `${place}.key.publicKey`);
    const { kid, createdAt, notBefore, contextUnprotectedBefore } = added;
    this.#keys.set(kid, {
      kid,
      publicKey: publicKeyFromBase64(added.publicKey),
      status: 'active',
      createdAt,
      notBefore,
      ...(contextUnprotectedBefore !== undefined && { contextUnprotectedBefore }),
    });
  }

  #revokeKey(change: Extract<KeyChange, { type: 'key-revoked' }>, issuedAt: string, place: string): void {
    const key = this.#keyOf(change.kid, place);
    const { revokedAt, reason, compromisedSince } = change;
    notAfter(revokedAt, issuedAt, `${place}.revokedAt`, 'issuedAt');
    if (compromisedSince !== undefined) notAfter(compromisedSince, revokedAt, `${place}.compromisedSince`, 'revokedAt');
    const { kid, publicKey, createdAt, notBefore, retiredAt, contextUnprotectedBefore } = key;
    const revoked: PublishableKey = {
      kid,
      publicKey,
      createdAt,
      notBefore,
      ...(retiredAt !== undefined && { retiredAt }),
      ...(contextUnprotectedBefore !== undefined && { contextUnprotectedBefore }),
      status: 'revoked',
      revokedAt,
      revocationReason: reason,
      ...(compromisedSince !== undefined && { compromisedSince }),
    };
    if (key.status === 'revoked') {
      if (key.revokedAt !== revokedAt) throw refusal(`${place}.revokedAt`, 'must be that of the first revocation');
      if (!isEarlier(trustedUntil(revoked), trustedUntil(key))) {
        throw refusal(place, 'must trust the key for less time than the revocation before it');
      }
    }
    this.#end(key, revoked);
  }

  #addRoot(root: { kid: string; publicKey: string }, endorsedBy: string | null, addedAt: string, place: string): void {
    this.#claim(root.publicKey, `${place}.root.publicKey`);
    if (endorsedBy !== null && this.#roots.get(endorsedBy)?.status !== 'live') {
      throw refusal(`${place}.endorsement.kid`, 'must name a root that counts at that point');
    }
    this.#roots.set(root.kid, { kid: root.kid, publicKey: root.publicKey, status: 'live', addedAt, endorsedBy });
  }

  #claim(publicKey: string, place: string): void {
    if (this.#publicKeys.has(publicKey)) throw refusal(place, 'is a key that the history names already');
    this.#publicKeys.add(publicKey);
  }

  #end(key: PublishableKey, ended: PublishableKey): void {
    this.#keys.set(key.kid, ended);
    if (this.#activeKid === key.kid) this.#activeKid = null;
  }

  #keyOf(kid: string, place: string): PublishableKey {
    const key = this.#keys.get(kid);
    if (key === undefined) throw refusal(`${place}.kid`, 'names a key that was never added');
    return key;
  }

  #rootOf(kid: string, place: string): HistoryRoot {
    const root = this.#roots.get(kid);
    if (root === undefined) throw refusal(`${place}.kid`, 'names a root that was never added');
    return root;
  }
}

/** Time up to which signatures with a trusted time survive the revocation; null when none does. */
function trustedUntil(key: PublishableKey): string | null {
  if (key.compromisedSince !== undefined) return key.compromisedSince;
  return key.revocationReason === 'keyCompromise' ? null : (key.revokedAt ?? null);
}

function isEarlier(one: string | null, other: string | null): boolean {
  if (other === null) return false;
  return one === null || compare(one, other) < 0;
}

function compare(one: string, other: string): number {
  const [a, b] = [parseTimestamp(one), parseTimestamp(other)];
  if (a === null || b === null) throw new KeyError('KEY_HISTORY_INVALID', 'key history: not a timestamp');
  return compareTimestamps(a, b);
}

function notAfter(earlier: string, later: string, place: string, name: string): void {
  if (compare(earlier, later) > 0) throw refusal(place, `must not be after ${name}`);
}
