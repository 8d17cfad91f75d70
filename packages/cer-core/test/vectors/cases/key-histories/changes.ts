import { ACTIVE, OTHER, type Json, type JsonObject } from '../../forge.js';
import {
  activate,
  addKey,
  addRoot,
  BEGIN,
  history,
  keyOf,
  keySetOf,
  later,
  LATER,
  LATEST,
  listed,
  NEXT,
  replaceRoot,
  revokeRoot,
  ROOT,
  spki,
  START,
  THIRD,
  TWO_KEYS,
  vector,
  type KeyHistoryVector,
  type Step,
} from './history.js';

const { kid } = ACTIVE;
const TERMS = { kid, revokedAt: LATER, reason: 'superseded' };
const revoke = (members: JsonObject = {}, issuedAt = LATER): Step =>
  later('key-revoked', { ...TERMS, ...members }, issuedAt);
const retire = (retiredAt = LATER): Step => later('key-retired', { kid, retiredAt });
/** The entry of the key once it is revoked. */
const ended = (members: JsonObject): JsonObject =>
  listed(ACTIVE, { status: 'revoked', revokedAt: LATER, revocationReason: 'superseded', ...members });

const REASON = 'keyCompromise';
const ONCE = 'No public key occurs twice in a history, as signing key or as root, and no `kid` of a signing key.';
const NEVER = 'A key that is retired or revoked never becomes active again.';
const KNOWN = 'A change names a key or root that was added before.';
const ORDER = '`retiredAt` is not before `notBefore`; neither `retiredAt` nor `revokedAt` is after `issuedAt`.';
const SINCE = '`compromisedSince` is not after `revokedAt`, nor that of a root after `issuedAt`.';
const LESS = 'A revoked key may be revoked again when the new revocation trusts it for less time.';
const COUNTS = 'A root that counts at that point endorses.';
const ROOTS = 'A root that was replaced or revoked is not replaced, and one that was revoked is not revoked, again.';

/** Changes that are impossible at their place, each after a beginning to which it does not fit. */
const IMPOSSIBLE: readonly (readonly [name: string, rule: string, steps: readonly Step[]])[] = [
  ['kid-of-another-key', ONCE, [...BEGIN, { change: { type: 'key-added', key: { ...keyOf(OTHER), kid } } }]],
  ['key-under-another-kid', ONCE, [...BEGIN, { change: { type: 'key-added', key: { ...keyOf(ACTIVE), kid: 'x' } } }]],
  ['root-as-a-signing-key', ONCE, [...BEGIN, addKey(ROOT)]],
  ['signing-key-as-a-root', ONCE, [...BEGIN, { change: { type: 'root-added', root: spki(ACTIVE) } }]],
  ['root-twice', ONCE, [...BEGIN, addRoot(ROOT)]],
  ['replaced-by-itself', ONCE, [...BEGIN, replaceRoot(ROOT.kid, ROOT)]],
  ['activated-twice', NEVER, [...BEGIN, activate(ACTIVE)]],
  ['activated-after-it-was-retired', NEVER, [...BEGIN, retire(), later('key-activated', { kid })]],
  ['activated-after-it-was-revoked', NEVER, [...BEGIN, revoke(), later('key-activated', { kid })]],
  ['retired-twice', NEVER, [...BEGIN, retire(), retire()]],
  ['retired-after-it-was-revoked', NEVER, [...BEGIN, revoke(), retire()]],
  ['retired-but-never-added', KNOWN, [...BEGIN, later('key-retired', { kid: 'x', retiredAt: LATER })]],
  ['revoked-but-never-added', KNOWN, [...BEGIN, revoke({ kid: 'x' })]],
  ['activated-kid-of-a-root', KNOWN, [...BEGIN, later('key-activated', { kid: ROOT.kid })]],
  ['retired-in-the-future', ORDER, [...BEGIN, retire(LATEST)]],
  ['retired-before-it-began', ORDER, [...BEGIN, retire('2026-01-01T23:59:59.999Z')]],
  ['revoked-in-the-future', ORDER, [...BEGIN, revoke({ revokedAt: LATEST })]],
  ['compromised-after-it-was-revoked', SINCE, [...BEGIN, revoke({ compromisedSince: LATEST }, LATEST)]],
  ['revoked-again-in-the-same-way', LESS, [...BEGIN, revoke(), revoke()]],
  ['revoked-again-at-another-time', LESS, [...BEGIN, revoke(), revoke({ revokedAt: START })]],
  ['revoked-again-at-another-spelling', LESS, [...BEGIN, revoke(), revoke({ ...spelt(), compromisedSince: START })]],
  [
    'revoked-again-for-more-time',
    LESS,
    [...BEGIN, revoke({ compromisedSince: START }), revoke({ compromisedSince: LATER })],
  ],
  ['revoked-again-for-all-time', LESS, [...BEGIN, revoke({ compromisedSince: START }), revoke()]],
  ['revoked-again-after-no-trust', LESS, [...BEGIN, revoke({ reason: REASON }), revoke({ compromisedSince: START })]],
  ['revoked-again-for-no-trust', LESS, [...BEGIN, revoke({ reason: REASON }), revoke({ reason: REASON })]],
  ['replaced-but-never-added', KNOWN, [...BEGIN, replaceRoot('x', NEXT)]],
  ['replaced-kid-of-a-key', KNOWN, [...BEGIN, replaceRoot(kid, NEXT)]],
  ['replaced-twice', ROOTS, [...BEGIN, replaceRoot(ROOT.kid, NEXT), replaceRoot(ROOT.kid, THIRD)]],
  ['replaced-after-it-was-revoked', ROOTS, [...BEGIN, revokeRoot(ROOT.kid), replaceRoot(ROOT.kid, NEXT)]],
  ['root-revoked-but-never-added', KNOWN, [...BEGIN, revokeRoot('x')]],
  ['root-revoked-twice', ROOTS, [...BEGIN, addRoot(NEXT), revokeRoot(NEXT.kid), revokeRoot(NEXT.kid)]],
  ['root-compromised-in-the-future', SINCE, [...BEGIN, revokeRoot(ROOT.kid, { compromisedSince: LATEST })]],
  ['endorsed-by-an-unknown-root', COUNTS, [...BEGIN, addRoot(NEXT, { by: THIRD })]],
  ['endorsed-by-itself', COUNTS, [...BEGIN, addRoot(NEXT, { by: NEXT })]],
  ['endorsed-by-a-key', COUNTS, [...BEGIN, addRoot(NEXT, { by: ACTIVE })]],
  [
    'endorsed-by-a-root-that-was-replaced',
    COUNTS,
    [...BEGIN, replaceRoot(ROOT.kid, NEXT), addRoot(THIRD, { by: ROOT, issuedAt: LATER })],
  ],
  [
    'endorsed-by-a-root-that-was-revoked',
    COUNTS,
    [...BEGIN, addRoot(NEXT), revokeRoot(NEXT.kid), addRoot(THIRD, { by: NEXT, issuedAt: LATER })],
  ],
  [
    'issued-before-the-entry-before',
    '`issuedAt` is never before that of the entry before.',
    [...BEGIN, retire(), addKey(OTHER)],
  ],
];

/** Changes that are possible, with the key set that they give. */
const POSSIBLE: readonly (readonly [name: string, rule: string, steps: readonly Step[], keySet: JsonObject])[] = [
  [
    'second-key',
    'The keys of the set are in the order in which they were added.',
    TWO_KEYS,
    keySetOf(kid, listed(ACTIVE), listed(OTHER)),
  ],
  [
    'second-key-activated',
    '`activeKid` is the key that was activated last.',
    [...TWO_KEYS, activate(OTHER)],
    keySetOf(OTHER.kid, listed(ACTIVE), listed(OTHER)),
  ],
  [
    'first-key-activated-again',
    'An active key may be activated again after another.',
    [...TWO_KEYS, activate(OTHER), activate(ACTIVE)],
    keySetOf(kid, listed(ACTIVE), listed(OTHER)),
  ],
  [
    'key-of-an-older-node',
    'A key may have `contextUnprotectedBefore`.',
    [
      addRoot(ROOT),
      { change: { type: 'key-added', key: { ...keyOf(ACTIVE), contextUnprotectedBefore: START } } },
      activate(ACTIVE),
    ],
    keySetOf(kid, listed(ACTIVE, { contextUnprotectedBefore: START })),
  ],
  [
    'retired-at-its-issue',
    '`activeKid` is null when the active key ends.',
    [...BEGIN, retire()],
    keySetOf(null, listed(ACTIVE, { status: 'retired', retiredAt: LATER })),
  ],
  [
    'retired-when-it-began',
    ORDER,
    [...BEGIN, retire(START)],
    keySetOf(null, listed(ACTIVE, { status: 'retired', retiredAt: START })),
  ],
  [
    'retired-beside-the-active-one',
    'Only the end of the active key ends `activeKid`.',
    [...TWO_KEYS, later('key-retired', { kid: OTHER.kid, retiredAt: LATER })],
    keySetOf(kid, listed(ACTIVE), listed(OTHER, { status: 'retired', retiredAt: LATER })),
  ],
  ['revoked-at-its-issue', ORDER, [...BEGIN, revoke()], keySetOf(null, ended({}))],
  [
    'revoked-beside-the-active-one',
    'Only the end of the active key ends `activeKid`.',
    [...TWO_KEYS, revoke({ kid: OTHER.kid })],
    keySetOf(
      kid,
      listed(ACTIVE),
      listed(OTHER, { status: 'revoked', revokedAt: LATER, revocationReason: 'superseded' }),
    ),
  ],
  [
    'revoked-after-it-was-retired',
    'A retired key that is revoked keeps its `retiredAt`.',
    [...BEGIN, retire(), revoke()],
    keySetOf(null, ended({ retiredAt: LATER })),
  ],
  [
    'compromised-since-it-was-revoked',
    SINCE,
    [...BEGIN, revoke({ compromisedSince: LATER })],
    keySetOf(null, ended({ compromisedSince: LATER })),
  ],
  [
    'revoked-again-for-less-time',
    LESS,
    [...BEGIN, revoke(), revoke({ compromisedSince: START, reason: 'unspecified' })],
    keySetOf(null, ended({ compromisedSince: START, revocationReason: 'unspecified' })),
  ],
  [
    'revoked-again-with-no-trust',
    LESS,
    [...BEGIN, revoke({ compromisedSince: START }), revoke({ reason: REASON })],
    keySetOf(null, ended({ revocationReason: REASON })),
  ],
  [
    'revoked-again-after-a-compromise-since',
    LESS,
    [...BEGIN, revoke({ compromisedSince: LATER, reason: REASON }), revoke({ compromisedSince: START })],
    keySetOf(null, ended({ compromisedSince: START })),
  ],
  [
    'root-revoked-after-it-was-replaced',
    'A root that was replaced may be revoked.',
    [
      ...BEGIN,
      addRoot(NEXT),
      { ...later('root-replaced', { kid: NEXT.kid, root: spki(THIRD) }) },
      revokeRoot(NEXT.kid),
    ],
    keySetOf(kid, listed(ACTIVE)),
  ],
  [
    'root-compromised-since-its-issue',
    SINCE,
    [...BEGIN, addRoot(NEXT), revokeRoot(NEXT.kid, { compromisedSince: LATER })],
    keySetOf(kid, listed(ACTIVE)),
  ],
];

export async function changeVectors(): Promise<KeyHistoryVector[]> {
  const found: KeyHistoryVector[] = [];
  for (const [name, rule, steps] of IMPOSSIBLE) {
    found.push(vector(`impossible-${name}`, rule, await history(steps), 'INVALID'));
  }
  for (const [name, rule, steps, keySet] of POSSIBLE) {
    found.push(vector(`possible-${name}`, rule, await history(steps, { statement: { keySet } }), null));
    const other: Json = { ...keySet, activeKid: keySet['activeKid'] === null ? kid : null };
    const document = await history(steps, { statement: { keySet: other } });
    found.push(vector(`possible-${name}-but-another-active-kid`, rule, document, 'KEY_SET_MISMATCH'));
  }
  return found;
}

/** The time of the revocation, in another spelling. */
function spelt(): JsonObject {
  return { revokedAt: LATER.replace('.000Z', 'Z') };
}
