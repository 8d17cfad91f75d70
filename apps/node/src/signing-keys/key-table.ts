import { formatKeySet, publicKeyFromBase64, type KeySetDocument, type PublishableKey } from '@cer/keys';
import type { SigningKeyRow, SigningState } from '../store/index.js';

/** What the nodes agreed on, read once, and the questions that signing asks of it. Times in milliseconds since 1970. */
export interface KeyTable {
  readonly state: SigningState;
  /** The newest time that any node put into a record or a key event. */
  readonly newestMs: number;
  /**
   * The key that signs what is dated so: of the active keys whose life has begun, the one that began last. Every node
   * comes to the same answer by itself.
   */
  signingKeyAt(time: number): SigningKeyRow | null;
  /** A key that is published and does not sign yet. */
  pendingAt(time: number): SigningKeyRow | null;
  /** What is published at a time. */
  documentAt(time: number): KeySetDocument;
}

export function keyTableOf(nodeId: string, state: SigningState): KeyTable {
  const active = state.keys.filter(({ status }) => status === 'active');
  // Of two that begin at once, the one added last.
  const newestFirst = active.toReversed().sort((a, b) => msOf(b.notBefore) - msOf(a.notBefore));
  const signingKeyAt = (time: number): SigningKeyRow | null =>
    newestFirst.find(({ notBefore }) => msOf(notBefore) <= time) ?? null;
  const published = state.keys.map(toPublishable);
  return {
    state,
    newestMs: Math.max(0, ...eventTimes(state).map(msOf)),
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
