import { ACTIVE, at, change, NODE_ID, object } from '../forge.js';
import { changeVectors } from './key-histories/changes.js';
import { formVectors } from './key-histories/form.js';
import {
  activate,
  addKey,
  addRoot,
  BEGIN,
  history,
  ROOT,
  vector,
  type KeyHistoryVector,
} from './key-histories/history.js';
import { trustVectors } from './key-histories/trust.js';

export type { KeyHistoryVector } from './key-histories/history.js';

export interface KeyHistoryFamily {
  readonly family: string;
  readonly description: string;
  readonly heading: string;
  readonly tests: readonly KeyHistoryVector[];
}

export async function keyHistoryFamily(): Promise<KeyHistoryFamily> {
  const good = await history(BEGIN);
  const broken = change(good, 'entries.1.issuedAt', '2026-01-01T00:00:00.000Z');
  const FORM = 'A wrong form comes before a broken chain.';
  const set = object(at(good, 'statement.keySet'));
  const activatedFirst = await history([addRoot(ROOT), activate(ACTIVE), addKey(ACTIVE)]);
  const tests = [
    vector('accepted', 'A root that the caller pinned signed the result of the history.', good, null),
    vector('chain-broken', 'A `prevHash` that is not the hash of the entry before.', broken, 'CHAIN_BROKEN'),
    vector('kid-is-a-number', FORM, change(broken, 'entries.2.change.kid', 2), 'INVALID'),
    vector('kid-of-a-root-of-another-key', FORM, change(broken, 'entries.0.change.root.kid', 'x'), 'INVALID'),
    vector('key-is-no-base64', FORM, change(broken, 'entries.1.change.key.publicKey', 'x'), 'INVALID'),
    vector('key-has-no-time', FORM, change(broken, 'entries.1.change.key.notBefore', '2026-01-02'), 'INVALID'),
    vector('activated-before-it-was-added', 'A change that is impossible.', activatedFirst, 'INVALID'),
    vector(
      'activated-before-it-was-added-in-a-broken-chain',
      'Which change is possible is known only once the chain is.',
      change(activatedFirst, 'entries.0.issuedAt', '2026-01-01T00:00:00.000Z'),
      'CHAIN_BROKEN',
    ),
    vector(
      'set-without-keys-of-another-node',
      '`keySet` has the text `nodeId` and the array `keys`.',
      await history(BEGIN, { statement: { nodeId: 'another', keySet: { nodeId: NODE_ID, activeKid: null } } }),
      'INVALID',
    ),
    vector(
      'set-with-a-further-member',
      'Any other difference of `keySet` is one from the result of the history.',
      await history(BEGIN, { statement: { keySet: { ...set, note: 1 } } }),
      'KEY_SET_MISMATCH',
    ),
    vector(
      'set-with-a-lone-surrogate',
      'Any other difference of `keySet` is one from the result of the history.',
      change(good, 'statement.keySet.activeKid', '\ud800'),
      'KEY_SET_MISMATCH',
    ),
    ...(await formVectors()),
    ...(await changeVectors()),
    ...(await trustVectors()),
  ];
  const description = 'Key histories: the first code that refuses one, or null where its keys count.';
  return { family: 'key-histories', description, heading: 'Key history verification', tests };
}
