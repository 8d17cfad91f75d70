import { keyFingerprint, toSpkiBase64, type Signer } from '@cer/keys';
import { testSigner } from '@cer/keys/testing';
import { ACTIVE, change, hashOf, NODE_ID, object, sign, type Json, type JsonObject } from '../forge.js';

// Histories are forged from "Key history" and "Key history verification", not by the code under test.

/** A history, the pins of the caller, and the code of the refusal; null where the history is accepted. */
export interface KeyHistoryVector {
  readonly id: string;
  readonly rule: string;
  readonly document: string;
  readonly nodeId: string;
  readonly root: string;
  readonly expected: string | null;
}

const ROOT = testSigner('vectors root');
const START = '2026-01-02T00:00:00.000Z';

const spki = ({ kid, publicKey }: Signer): JsonObject => ({ kid, publicKey: toSpkiBase64(publicKey) });
const KEY: JsonObject = { ...spki(ACTIVE), algorithm: 'Ed25519', createdAt: START, notBefore: START };
const LISTED: JsonObject = {
  ...KEY,
  publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(ACTIVE.publicKey.raw).toString('base64url') },
  status: 'active',
};
const CHANGES: readonly JsonObject[] = [
  { type: 'root-added', root: spki(ROOT) },
  { type: 'key-added', key: KEY },
  { type: 'key-activated', kid: ACTIVE.kid },
];

/** The history of these changes, with a statement over all of them that the root signed. */
async function history(changes: readonly JsonObject[], members: JsonObject = {}): Promise<JsonObject> {
  const entries: JsonObject[] = [];
  let prevHash = hashOf({ type: 'svc.key-history.v1', nodeId: NODE_ID });
  for (const made of changes) {
    entries.push({ seq: entries.length + 1, prevHash, issuedAt: START, change: made });
    prevHash = hashOf(entries.at(-1) ?? null);
  }
  const statement: JsonObject = {
    ...{ type: 'svc.key-set-statement.v1', version: 1, issuedAt: START, nextUpdate: '2027-01-02T00:00:00.000Z' },
    ...{ nodeId: NODE_ID, historyHead: { seq: entries.length, hash: prevHash } },
    keySet: { nodeId: NODE_ID, activeKid: ACTIVE.kid, keys: [LISTED] },
    ...members,
  };
  const signatures = [{ kid: ROOT.kid, signature: await sign(ROOT, statement) }];
  return { type: 'svc.key-history.v1', nodeId: NODE_ID, entries, statement, signatures };
}

export async function keyHistoryFamily(): Promise<JsonObject> {
  const good = await history(CHANGES);
  const broken = change(good, 'entries.1.issuedAt', '2026-01-01T00:00:00.000Z');
  const FORM = 'A wrong form comes before a broken chain.';
  const set = object(object(good['statement'])['keySet']);
  const tests = [
    vector('accepted', 'A root that the caller pinned signed the result of the history.', good, null),
    vector('chain-broken', 'A `prevHash` that is not the hash of the entry before.', broken, 'CHAIN_BROKEN'),
    vector('kid-is-a-number', FORM, change(broken, 'entries.2.change.kid', 2), 'INVALID'),
    vector('kid-of-a-root-of-another-key', FORM, change(broken, 'entries.0.change.root.kid', 'x'), 'INVALID'),
    vector('key-is-no-base64', FORM, change(broken, 'entries.1.change.key.publicKey', 'x'), 'INVALID'),
    vector('key-has-no-time', FORM, change(broken, 'entries.1.change.key.notBefore', '2026-01-02'), 'INVALID'),
    vector('activated-before-it-was-added', 'A change that is impossible.', await activatedFirst(), 'INVALID'),
    vector(
      'activated-before-it-was-added-in-a-broken-chain',
      'Which change is possible is known only once the chain is.',
      change(await activatedFirst(), 'entries.0.issuedAt', '2026-01-01T00:00:00.000Z'),
      'CHAIN_BROKEN',
    ),
    vector(
      'set-without-keys-of-another-node',
      '`keySet` has the text `nodeId` and the array `keys`.',
      await history(CHANGES, { nodeId: 'another', keySet: { nodeId: NODE_ID, activeKid: null } }),
      'INVALID',
    ),
    vector(
      'set-with-a-further-member',
      'Any other difference of `keySet` is one from the result of the history.',
      await history(CHANGES, { keySet: { ...set, note: 1 } }),
      'KEY_SET_MISMATCH',
    ),
    vector(
      'set-with-a-lone-surrogate',
      'Any other difference of `keySet` is one from the result of the history.',
      change(good, 'statement.keySet.activeKid', '\ud800'),
      'KEY_SET_MISMATCH',
    ),
  ];
  const description = 'Key histories: the first code that refuses one, or null where its keys count.';
  return { family: 'key-histories', description, heading: 'Key history verification', tests };
}

async function activatedFirst(): Promise<JsonObject> {
  const [first, added, activated] = CHANGES;
  return history([first, activated, added].filter((made) => made !== undefined));
}

function vector(id: string, rule: string, document: Json, code: string | null): JsonObject {
  return {
    id: `key-history-${id}`,
    rule,
    document: JSON.stringify(document),
    nodeId: NODE_ID,
    root: keyFingerprint(ROOT.publicKey),
    expected: code === null ? null : `KEY_HISTORY_${code}`,
  };
}
