import { member, type JsonObject } from '@cer/canonical-json';
import { isTimestamp } from '@cer/keys';
import { jcsV1 } from '../profiles.js';
import { isSha256Hash, type Sha256Hash } from '../hash.js';
import type { ReceiptScope } from '../bundle-types/registry.js';

// The node signs receipts. Their member sets are disjoint, so a signature made for one purpose never serves another.
// @see docs/spec.md, "Receipt"

export const RECEIPT_MEMBERS: Readonly<Record<ReceiptScope, readonly string[]>> = {
  full: ['certificateHash', 'timestamp', 'nodeId', 'kid'],
  'hash-only': ['certificateHash', 'timestamp', 'nodeId', 'kid', 'scope'],
  reseal: ['certificateHash', 'timestamp', 'nodeId', 'kid', 'scope', 'originalCertificateHash', 'redactionPolicy'],
  project: ['projectHash', 'registeredAt', 'nodeId', 'kid'],
};

/** The receipt that older nodes signed, with exactly these members. */
export const LEGACY_RECEIPT_MEMBERS = [
  'receiptVersion',
  'attestationId',
  'attestedAt',
  'attestorKeyId',
  'certificateHash',
  'nodeId',
  'nodeRuntimeHash',
  'protocolVersion',
  'timestampType',
] as const;

/** A receipt with the right members and types. Its signature is not checked yet. */
export interface Receipt {
  /** The signed object, whole. */
  readonly payload: JsonObject;
  readonly scope: ReceiptScope;
  readonly isLegacy: boolean;
  /** The certificateHash, or the projectHash of a project receipt. */
  readonly hash: Sha256Hash;
  /** The node-issued time of signing. */
  readonly timestamp: string;
  readonly nodeId: string;
  readonly kid: string;
  readonly originalCertificateHash: Sha256Hash | null;
  readonly redactionPolicy: string | null;
}

export type ReceiptReading =
  | { readonly receipt: Receipt }
  /** incomplete: a member that every receipt has is missing; malformed: not a receipt of this protocol. */
  | { readonly receipt: null; readonly fault: 'incomplete' | 'malformed'; readonly detail: string };

/** The bytes that are signed: the UTF-8 of the receipt's JCS form. */
export function canonicalReceipt(payload: JsonObject): string {
  return jcsV1.canonicalize(payload);
}

/** Reads an object of unknown content as a receipt, by the exact set of its members. */
export function readReceipt(payload: JsonObject): ReceiptReading {
  const names = Object.keys(payload).filter((name) => payload[name] !== undefined);
  const isLegacy = names.includes('receiptVersion');
  const scope = scopeOf(payload, isLegacy);
  const expected: readonly string[] = isLegacy ? LEGACY_RECEIPT_MEMBERS : RECEIPT_MEMBERS[scope ?? 'full'];
  const missing = expected.find((name) => !names.includes(name));
  if (missing !== undefined) return { receipt: null, fault: 'incomplete', detail: `${missing}: is required` };
  if (scope === null) return { receipt: null, fault: 'malformed', detail: 'scope: is none that this protocol knows' };
  const extra = names.find((name) => !expected.includes(name));
  if (extra !== undefined) return { receipt: null, fault: 'malformed', detail: 'has a member that no receipt has' };

  const text = (name: string): string | null => {
    const value = member(payload, name);
    return typeof value === 'string' ? value : null;
  };
  const hash = member(payload, scope === 'project' ? 'projectHash' : 'certificateHash');
  const timestamp = text(isLegacy ? 'attestedAt' : scope === 'project' ? 'registeredAt' : 'timestamp');
  const nodeId = text('nodeId');
  const kid = text(isLegacy ? 'attestorKeyId' : 'kid');
  const original = member(payload, 'originalCertificateHash');
  const redactionPolicy = text('redactionPolicy');
  const isMistyped =
    !isSha256Hash(hash) ||
    !isTimestamp(timestamp) ||
    nodeId === null ||
    kid === null ||
    (scope === 'reseal' && (!isSha256Hash(original) || redactionPolicy === null)) ||
    (isLegacy &&
      (!isSha256Hash(member(payload, 'nodeRuntimeHash')) ||
        LEGACY_RECEIPT_MEMBERS.some((name) => text(name) === null)));
  if (isMistyped) return { receipt: null, fault: 'malformed', detail: 'has a member of the wrong type or form' };
  return {
    receipt: {
      payload,
      scope,
      isLegacy,
      hash,
      timestamp,
      nodeId,
      kid,
      originalCertificateHash: isSha256Hash(original) ? original : null,
      redactionPolicy,
    },
  };
}

function scopeOf(payload: JsonObject, isLegacy: boolean): ReceiptScope | null {
  const stated = member(payload, 'scope');
  if (stated === undefined) return !isLegacy && member(payload, 'projectHash') !== undefined ? 'project' : 'full';
  if (isLegacy) return null;
  return stated === 'hash-only' || stated === 'reseal' ? stated : null;
}
