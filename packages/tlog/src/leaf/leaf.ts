import { jcsV1, type JsonValue } from '@cer/canonical-json';
import { encodeBase64Url, encodeHex, sha256 } from '@cer/keys';
import { leafHash } from '../merkle/hash.js';
import { macOf, macOfText, setKey, sha256OfText } from './hmac.js';

/** Kinds of receipts, by what they attest. */
export const LEAF_KINDS = ['certificate', 'hash-only', 'reseal', 'project', 'again', 'deletion'] as const;
export type LeafKind = (typeof LEAF_KINDS)[number];

/** Which receipt of which tenant a leaf is; hashed as JCS with exactly these members. */
export interface LeafLabel {
  readonly appId: string | null;
  /** The time of the receipt, to the letter. */
  readonly at: string;
  readonly bundleType: string | null;
  readonly kind: LeafKind;
  /** Counts the leaves of the tenant from 1: index in the tree of the tenant plus 1. */
  readonly number: number;
  /** {@link tenantTag} as a hash. */
  readonly tenant: string;
  /** Of a deletion: ascending ranges of numbers, at most 100. */
  readonly deletes?: readonly (readonly [first: number, last: number])[];
}

/** Everything of one leaf, for the node that keeps it. */
export interface Leaf {
  /** 33 bytes, what the log serves. */
  readonly entry: Uint8Array;
  readonly leafHash: Uint8Array;
  readonly receiptSalt: Uint8Array;
  readonly tenantSalt: Uint8Array;
  readonly receiptCommitment: Uint8Array;
  readonly tenantCommitment: Uint8Array;
}

/** The type of leaves and their openings, and the first member of what salts are derived from. */
export const LEAF_TYPE = 'svc.log-leaf.v1';
const ENTRY_VERSION = 0x01;

/** The public name of a tenant in its own labels: SHA-256, which only holders of the id can link to it. */
export function tenantTag(nodeId: string, tenantId: string): Uint8Array {
  return sha256(jcsBytes(['svc.log-tenant.v1', nodeId, tenantId]));
}

/** The commitment to a receipt: SHA-256 of the JCS form of receipt and signature, as timestamps cover it. */
export function receiptDigest(receipt: JsonValue, signature: string): Uint8Array {
  return sha256OfText(jcsV1.canonicalize({ receipt, signature }));
}

/** The commitment to an administrative deletion. @param auditHash of the audit log's entry of the act */
export function deletionDigest(auditHash: string, deletes: readonly (readonly [number, number])[]): Uint8Array {
  return sha256(jcsBytes({ auditHash, deletes, type: 'svc.log-deletion.v1' }));
}

/**
 * Makes the leaf of a receipt.
 * @param seed 32 random bytes of this leaf alone; deleting them makes the leaf unlinkable
 * @param digest {@link receiptDigest} or {@link deletionDigest}
 */
export function makeLeaf(seed: Uint8Array, digest: Uint8Array, label: LeafLabel): Leaf {
  return makeLeafOfText(seed, digest, jcsV1.canonicalize(label));
}

/** As {@link makeLeaf}. @param labelText the JCS form of the label */
export function makeLeafOfText(seed: Uint8Array, digest: Uint8Array, labelText: string): Leaf {
  setKey(seed);
  const receiptSalt = macOf(RECEIPT_SALT);
  const tenantSalt = macOf(TENANT_SALT);
  const receiptCommitment = commitReceipt(receiptSalt, digest);
  const tenantCommitment = commitLabelText(tenantSalt, labelText);
  const entry = entryOf(receiptCommitment, tenantCommitment);
  return { entry, leafHash: leafHash(entry), receiptSalt, tenantSalt, receiptCommitment, tenantCommitment };
}

/** HMAC of a digest under the receipt's salt. */
export function commitReceipt(receiptSalt: Uint8Array, digest: Uint8Array): Uint8Array {
  setKey(receiptSalt);
  return macOf(digest);
}

/** HMAC of the JCS form of a label under the tenant's salt. */
export function commitLabel(tenantSalt: Uint8Array, label: LeafLabel): Uint8Array {
  return commitLabelText(tenantSalt, jcsV1.canonicalize(label));
}

function commitLabelText(tenantSalt: Uint8Array, labelText: string): Uint8Array {
  setKey(tenantSalt);
  return macOfText(labelText);
}

/** The 33 bytes of an entry: a version byte and the hash of both commitments. */
export function entryOf(receiptCommitment: Uint8Array, tenantCommitment: Uint8Array): Uint8Array {
  const both = new Uint8Array(receiptCommitment.length + tenantCommitment.length);
  both.set(receiptCommitment);
  both.set(tenantCommitment, receiptCommitment.length);
  const hash = sha256(both);
  const entry = new Uint8Array(1 + hash.length);
  entry[0] = ENTRY_VERSION;
  entry.set(hash, 1);
  return entry;
}

/** `sha256:` and 64 lower-case hex digits. */
export function hashText(hash: Uint8Array): string {
  return `sha256:${encodeHex(hash)}`;
}

const UTF8 = new TextEncoder();

/** UTF-8 of the JCS form. @throws JsonError for a value without one */
export function jcsBytes(value: unknown): Uint8Array {
  return UTF8.encode(jcsV1.canonicalize(value));
}

// Every leaf derives its salts from these: encoded once.
const RECEIPT_SALT = jcsBytes([LEAF_TYPE, 'receipt']);
const TENANT_SALT = jcsBytes([LEAF_TYPE, 'tenant']);

/** The public opening: this receipt is the leaf; without tenant and number. */
export function publicOpening({ receiptSalt, tenantCommitment }: Leaf): Uint8Array {
  return jcsBytes({
    type: LEAF_TYPE,
    receiptSalt: encodeBase64Url(receiptSalt),
    tenantCommitment: hashText(tenantCommitment),
  });
}

/** The opening for keys of the tenant: everything but the receipt itself. */
export function ownerOpening({ receiptSalt, tenantSalt }: Leaf, label: LeafLabel): Uint8Array {
  return jcsBytes({
    type: LEAF_TYPE,
    receiptSalt: encodeBase64Url(receiptSalt),
    tenantSalt: encodeBase64Url(tenantSalt),
    label,
  });
}

/** The opening for auditors of leaves outside their query: number, time and app, but not which certificate. */
export function labelOpening({ receiptCommitment, tenantSalt }: Leaf, label: LeafLabel): Uint8Array {
  return jcsBytes({
    type: LEAF_TYPE,
    receiptCommitment: hashText(receiptCommitment),
    tenantSalt: encodeBase64Url(tenantSalt),
    label,
  });
}

/** The remainder of a deleted leaf. */
export function erasedOpening(hash: Uint8Array): Uint8Array {
  return jcsBytes({ type: LEAF_TYPE, leafHash: hashText(hash) });
}
