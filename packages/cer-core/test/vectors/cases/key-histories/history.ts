import { keyFingerprint, toSpkiBase64, type Signer } from '@cer/keys';
import { testSigner } from '@cer/keys/testing';
import { ACTIVE, hashOf, NODE_ID, OTHER, sign, type Json, type JsonObject } from '../../forge.js';

// Histories are forged from "Key history" and "Key history verification", not by the code under test.

/** A history, the pins of the caller, and the code of the refusal; null where the history is accepted. */
export interface KeyHistoryVector {
  readonly id: string;
  readonly rule: string;
  readonly document: string;
  readonly nodeId: string | null;
  readonly root: string | null;
  readonly seen?: Seen;
  readonly clock?: string;
  readonly expected: string | null;
  readonly notices?: readonly string[];
}

/** What the caller accepted last. */
export interface Seen {
  readonly version: number;
  readonly historyHead: { readonly seq: number; readonly hash: string };
}

/** One change of a history, when it was issued, and the root that endorses it. */
export interface Step {
  readonly change: JsonObject;
  readonly issuedAt?: string;
  readonly by?: Signer;
}

/** How a history differs from one whose statement covers all entries and is signed by the root alone. */
export interface Terms {
  readonly nodeId?: string;
  readonly head?: number;
  readonly statement?: JsonObject;
  readonly signers?: readonly Signer[];
}

/** How a caller differs from one who pins node and root, has seen nothing and has no clock. */
export type Caller = Partial<Pick<KeyHistoryVector, 'nodeId' | 'root' | 'seen' | 'clock' | 'notices'>>;

export const ROOT = testSigner('vectors root');
export const NEXT = testSigner('vectors next root');
export const THIRD = testSigner('vectors third root');
export const START = '2026-01-02T00:00:00.000Z';
export const LATER = '2026-01-03T00:00:00.000Z';
export const LATEST = '2026-01-04T00:00:00.000Z';

export const spki = ({ kid, publicKey }: Signer): JsonObject => ({ kid, publicKey: toSpkiBase64(publicKey) });

export function keyOf(signer: Signer): JsonObject {
  return { ...spki(signer), algorithm: 'Ed25519', createdAt: START, notBefore: START };
}

/** An entry of the key set. */
export function listed(signer: Signer, members: JsonObject = {}): JsonObject {
  const x = Buffer.from(signer.publicKey.raw).toString('base64url');
  return { ...keyOf(signer), publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x }, status: 'active', ...members };
}

export function keySetOf(activeKid: string | null, ...keys: readonly JsonObject[]): JsonObject {
  return { nodeId: NODE_ID, activeKid, keys };
}

export const addRoot = (root: Signer, more: Omit<Step, 'change'> = {}): Step => ({
  change: { type: 'root-added', root: spki(root) },
  ...more,
});
export const addKey = (signer: Signer): Step => ({ change: { type: 'key-added', key: keyOf(signer) } });
export const activate = (signer: Signer): Step => ({ change: { type: 'key-activated', kid: signer.kid } });

/** The change of a later entry. */
export const later = (type: string, members: JsonObject, issuedAt = LATER): Step => ({
  change: { type, ...members },
  issuedAt,
});

export const replaceRoot = (kid: string, root: Signer, more: Omit<Step, 'change' | 'issuedAt'> = {}): Step => ({
  ...later('root-replaced', { kid, root: spki(root) }),
  ...more,
});
export const revokeRoot = (kid: string, members: JsonObject = {}): Step =>
  later('root-revoked', { kid, reason: 'superseded', ...members });

export const BEGIN: readonly Step[] = [addRoot(ROOT), addKey(ACTIVE), activate(ACTIVE)];
/** With a second key that is not the active one. */
export const TWO_KEYS: readonly Step[] = [...BEGIN, addKey(OTHER)];

export async function history(steps: readonly Step[], terms: Terms = {}): Promise<JsonObject> {
  const { nodeId = NODE_ID, head = steps.length, signers = [ROOT] } = terms;
  const entries: JsonObject[] = [];
  const hashes = [hashOf({ type: 'svc.key-history.v1', nodeId })];
  for (const { change, issuedAt = START, by } of steps) {
    const entry = { seq: entries.length + 1, prevHash: hashes.at(-1) ?? null, issuedAt, change };
    entries.push(by === undefined ? entry : await endorsed(entry, nodeId, by));
    hashes.push(hashOf(entries.at(-1) ?? null));
  }
  const statement: JsonObject = {
    ...{ type: 'svc.key-set-statement.v1', version: 1, issuedAt: entries[head - 1]?.['issuedAt'] ?? START },
    ...{ nextUpdate: '2027-01-02T00:00:00.000Z', nodeId, historyHead: { seq: head, hash: hashes[head] ?? null } },
    keySet: { ...keySetOf(ACTIVE.kid, listed(ACTIVE)), nodeId },
    ...terms.statement,
  };
  const signatures: Json[] = [];
  for (const signer of signers) signatures.push({ kid: signer.kid, signature: await sign(signer, statement) });
  return { type: 'svc.key-history.v1', nodeId, entries, statement, signatures };
}

async function endorsed(entry: JsonObject & { change: JsonObject }, nodeId: string, by: Signer): Promise<JsonObject> {
  const signature = await sign(by, { ...entry, type: 'svc.key-history-root.v1', nodeId });
  return { ...entry, change: { ...entry.change, endorsement: { kid: by.kid, signature } } };
}

export function vector(
  id: string,
  rule: string,
  document: Json,
  code: string | null,
  caller: Caller = {},
): KeyHistoryVector {
  return {
    id: `key-history-${id}`,
    rule,
    document: JSON.stringify(document),
    nodeId: NODE_ID,
    root: keyFingerprint(ROOT.publicKey),
    ...caller,
    expected: code === null ? null : `KEY_HISTORY_${code}`,
  };
}
