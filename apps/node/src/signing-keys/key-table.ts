import { formatKeySet, publicKeyFromBase64, type KeySetDocument, type PublishableKey } from '@cer/keys';
import type { SigningKeyRow, SigningState } from '../store/index.js';

/** A snapshot of the shared signing state, with the queries of signing. Times in milliseconds since 1970. */
export interface KeyTable {
  readonly state: SigningState;
  /** The newest time in any record or key event. */
  readonly newestMs: number;
  /**
   * The key that signs at a time: of the active keys that have started, the one that started last. Every node computes
   * the same result.
   */
  signingKeyAt(time: number): SigningKeyRow | null;
  /**
   * All keys by the time from which each may sign. A key that was published to sign later and the one that takes over
   * at an earlier revocation are used in another order than they were added.
   */
  readonly inOrderOfUse: readonly SigningKeyRow[];
  /** A published key that does not sign yet. */
  pendingAt(time: number): SigningKeyRow | null;
  /** The key set published at a time. */
  documentAt(time: number): KeySetDocument;
}

export function keyTableOf(nodeId: string, state: SigningState): KeyTable {
  const active = state.keys.filter(({ status }) => status === 'active');
  // Of two with the same start, the one added last is used last.
  const inOrderOfUse = state.keys.toSorted((a, b) => msOf(a.notBefore) - msOf(b.notBefore));
  const signingKeyAt = (time: number): SigningKeyRow | null =>
    inOrderOfUse.findLast(({ status, notBefore }) => status === 'active' && msOf(notBefore) <= time) ?? null;
  const published = state.keys.map(toPublishable);
  return {
    state,
    newestMs: Math.max(0, ...eventTimes(state).map(msOf)),
    inOrderOfUse,
    signingKeyAt,
    pendingAt: (time) => active.find(({ notBefore }) => msOf(notBefore) > time) ?? null,
    documentAt: (time) => formatKeySet({ nodeId, activeKid: signingKeyAt(time)?.kid ?? null, keys: published }),
  };
}

function eventTimes({ keys, newestRecordAt }: SigningState): string[] {
  return [newestRecordAt, ...keys.flatMap((key) => [key.createdAt, key.retiredAt, key.revokedAt])].filter(
    (time) => time !== null,
  );
}

export function msOf(time: string): number {
  return Date.parse(time);
}

function toPublishable(row: SigningKeyRow): PublishableKey {
  const { kid, status, createdAt, notBefore, retiredAt, revokedAt, compromisedSince, revocationReason } = row;
  return {
    kid,
    publicKey: publicKeyFromBase64(row.publicKey),
    status,
    createdAt,
    notBefore,
    ...(retiredAt !== null && { retiredAt }),
    ...(revokedAt !== null && { revokedAt }),
    ...(compromisedSince !== null && { compromisedSince }),
    ...(revocationReason !== null && { revocationReason }),
    ...(row.contextUnprotectedBefore !== null && { contextUnprotectedBefore: row.contextUnprotectedBefore }),
  };
}
