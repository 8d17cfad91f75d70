import { keyFingerprint, type Signer } from '@cer/keys';
import { ACTIVE, at, change, OTHER, sign, textAt, type Json, type JsonObject } from '../../forge.js';
import {
  addKey,
  addRoot,
  BEGIN,
  history,
  keySetOf,
  later,
  LATER,
  LATEST,
  listed,
  NEXT,
  replaceRoot,
  revokeRoot,
  ROOT,
  START,
  THIRD,
  vector,
  type Caller,
  type KeyHistoryVector,
  type Step,
  type Terms,
} from './history.js';

const pinned = (signer: Signer): Caller => ({ root: keyFingerprint(signer.publicKey) });
const endorsed = (root: Signer, by: Signer): Step => addRoot(root, { by });
const BEFORE = '2026-01-01T23:59:59.999Z';
const UPDATE = '2027-01-02T00:00:00.000Z';

export async function trustVectors(): Promise<KeyHistoryVector[]> {
  return [...(await statementVectors()), ...(await rootVectors()), ...(await callerVectors())];
}

async function statementVectors(): Promise<KeyHistoryVector[]> {
  const good = await history(BEGIN);
  const hashAt = (seq: number): Json => at(good, `entries.${seq}.prevHash`);
  const stated = async (
    name: string,
    rule: string,
    code: string | null,
    statement: JsonObject,
  ): Promise<KeyHistoryVector> => vector(`statement-${name}`, rule, await history(BEGIN, { statement }), code);
  const HEAD = '`historyHead` is an entry of the history.';
  const NODE = 'Statement, document and pin name the same node.';
  const unsigned = { ...good, statement: null, signatures: [] };
  return [
    vector('unsigned', '`statement` is null until a root has signed.', unsigned, 'UNSIGNED'),
    vector(
      'unsigned-and-broken',
      'A broken chain comes first.',
      change(unsigned, 'entries.0.issuedAt', BEFORE),
      'CHAIN_BROKEN',
    ),
    vector('without-entries', HEAD, { ...good, entries: [] }, 'HEAD_MISMATCH'),
    vector('without-the-first', 'A gap in `seq`.', change(good, 'entries.0', undefined), 'CHAIN_BROKEN'),
    vector('without-the-last', HEAD, change(good, 'entries.2', undefined), 'HEAD_MISMATCH'),
    vector('seq-beside-its-place', 'A gap in `seq`.', change(good, 'entries.2.seq', 4), 'CHAIN_BROKEN'),
    vector(
      'start-of-another-node',
      'No entry fits into the history of another node.',
      change(good, 'nodeId', 'another'),
      'CHAIN_BROKEN',
    ),
    await stated('of-another-node', NODE, 'NODE_MISMATCH', {
      nodeId: 'another',
      historyHead: { seq: 9, hash: hashAt(1) },
    }),
    await stated('head-beyond', HEAD, 'HEAD_MISMATCH', { historyHead: { seq: 4, hash: hashAt(2) } }),
    await stated('head-of-another-entry', HEAD, 'HEAD_MISMATCH', { historyHead: { seq: 3, hash: hashAt(2) } }),
    await stated('head-of-the-start', HEAD, 'HEAD_MISMATCH', { historyHead: { seq: 1, hash: hashAt(0) } }),
    await stated('before-its-entries', '`issuedAt` is not before the newest entry that it covers.', 'INVALID', {
      issuedAt: BEFORE,
    }),
    await stated('of-another-version', '`version` is an integer from 1.', null, { version: 2 ** 53 - 1 }),
    ...(await pendingVectors()),
  ];
}

/** Entries after `historyHead`. */
async function pendingVectors(): Promise<KeyHistoryVector[]> {
  const pending = { notices: ['KEY_HISTORY_PENDING'] };
  const RULE = 'Entries after `historyHead` must fit the chain, and change nothing until a root signs.';
  const three = { head: 3 };
  const late: Step = later('key-revoked', { kid: ACTIVE.kid, revokedAt: START, reason: 'keyCompromise' });
  const revoked = await history([...BEGIN, revokeRoot(ROOT.kid)], three);
  const signedByPending = await history([...BEGIN, endorsed(NEXT, ROOT)], { ...three, signers: [NEXT] });
  const forged = await history([...BEGIN, endorsed(NEXT, { ...THIRD, kid: ROOT.kid })], three);
  const early = await history([...BEGIN, late], { ...three, statement: { issuedAt: START } });
  return [
    vector('pending-revocation', RULE, early, null, pending),
    vector('pending-revocation-of-the-root', RULE, revoked, null, pending),
    vector('pending-endorsement-of-another', RULE, forged, null, pending),
    vector('pending-root-signs', RULE, signedByPending, 'SIGNATURE_INVALID'),
    vector('pending-root-is-pinned', RULE, signedByPending, 'ROOT_UNKNOWN', pinned(NEXT)),
    vector('pending-change-is-impossible', RULE, await history([...BEGIN, addKey(ACTIVE)], three), 'INVALID'),
    vector(
      'pending-entry-is-broken',
      RULE,
      change(await history([...BEGIN, late], three), 'entries.3.prevHash', at(early, 'entries.2.prevHash')),
      'CHAIN_BROKEN',
    ),
    vector(
      'pending-entry-is-in-the-set',
      RULE,
      await history([...BEGIN, addKey(OTHER)], {
        ...three,
        statement: { keySet: keySetOf(ACTIVE.kid, listed(ACTIVE), listed(OTHER)) },
      }),
      'KEY_SET_MISMATCH',
    ),
    vector(
      'pending-entry-before-the-one-before',
      'An entry is never before the one before.',
      await history([...BEGIN, { ...addKey(OTHER), issuedAt: BEFORE }], three),
      'INVALID',
    ),
  ];
}

async function rootVectors(): Promise<KeyHistoryVector[]> {
  const VOUCHES = 'The signature is by a root that the pinned one is or endorsed, directly or through others.';
  const REPLACED = 'A replaced root counts no longer, but what it endorsed does.';
  const REVOKED = 'A revoked root counts no longer, nor does anything that it endorsed.';
  const found: KeyHistoryVector[] = [];
  const add = async (
    name: string,
    rule: string,
    steps: readonly Step[],
    code: string | null,
    terms: Terms = {},
    caller: Caller = {},
  ): Promise<void> => {
    found.push(vector(`roots-${name}`, rule, await history([...BEGIN, ...steps], terms), code, caller));
  };
  const by = (...signers: readonly Signer[]): Terms => ({ signers });
  const through = [endorsed(NEXT, ROOT), endorsed(THIRD, NEXT)];
  const noticed = { notices: ['KEY_HISTORY_PIN_REPLACED'] };
  const INVALID = 'SIGNATURE_INVALID';
  await add('endorsed', VOUCHES, [endorsed(NEXT, ROOT)], null, by(NEXT));
  await add('endorsed-through-another', VOUCHES, through, null, by(THIRD));
  await add('endorser-under-a-pin-of-the-endorsed', VOUCHES, [endorsed(NEXT, ROOT)], INVALID, by(ROOT), pinned(NEXT));
  await add('not-endorsed', VOUCHES, [addRoot(NEXT)], INVALID, by(NEXT));
  await add('not-endorsed-but-pinned', VOUCHES, [addRoot(NEXT)], null, by(NEXT), pinned(NEXT));
  await add('second-signature-counts', VOUCHES, [addRoot(NEXT)], null, by(THIRD, NEXT, ROOT));
  await add('unknown-signs', VOUCHES, [], INVALID, by(THIRD));
  await add('another-signs-under-its-kid', VOUCHES, [], INVALID, by({ ...THIRD, kid: ROOT.kid }));
  await add('signing-key-signs', VOUCHES, [], INVALID, by(ACTIVE));
  await add('nobody-signs', VOUCHES, [], INVALID, by());
  await add('replaced', REPLACED, [replaceRoot(ROOT.kid, NEXT, { by: ROOT })], null, by(NEXT), noticed);
  await add('replaced-signs', REPLACED, [replaceRoot(ROOT.kid, NEXT, { by: ROOT })], INVALID, by(ROOT));
  await add('replaced-without-endorsement', REPLACED, [replaceRoot(ROOT.kid, NEXT)], INVALID, by(NEXT));
  await add('replaced-in-the-middle', REPLACED, [endorsed(NEXT, ROOT), replaceRoot(NEXT.kid, THIRD, { by: NEXT })], null, by(THIRD));
  await add('replaced-by-the-pinned', REPLACED, [replaceRoot(ROOT.kid, NEXT, { by: ROOT })], null, by(NEXT), pinned(NEXT));
  await add('revoked-in-the-middle', REVOKED, [...through, revokeRoot(NEXT.kid)], INVALID, by(THIRD));
  await add('revoked-in-the-middle-but-endorsed-again', REVOKED, [...through, revokeRoot(NEXT.kid)], null, by(ROOT));
  await add(
    'revoked-in-the-middle-but-pinned',
    REVOKED,
    [...through, revokeRoot(NEXT.kid)],
    null,
    by(THIRD),
    pinned(THIRD),
  );
  await add('revoked-signs', REVOKED, [endorsed(NEXT, ROOT), revokeRoot(NEXT.kid)], INVALID, by(NEXT));
  await add('revoked-is-pinned', REVOKED, [addRoot(NEXT), revokeRoot(ROOT.kid)], 'ROOT_REVOKED', by(NEXT));
  const forged = [addRoot(NEXT, { by: { ...THIRD, kid: ROOT.kid } })];
  const ENDORSES = 'An endorsement is by the root that it names, over the entry without it.';
  await add('endorsement-by-another', ENDORSES, forged, 'ENDORSEMENT_INVALID');
  const spurned = await history([...BEGIN, addRoot(NEXT, { by: ROOT })], { nodeId: 'another' });
  const signature = textAt(spurned, 'entries.3.change.endorsement.signature');
  const moved: Step = { change: { ...addRoot(NEXT).change, endorsement: { kid: ROOT.kid, signature } } };
  await add('endorsement-of-another-node', ENDORSES, [moved], 'ENDORSEMENT_INVALID');
  await add('endorsement-by-another-without-a-pin', ENDORSES, forged, 'ENDORSEMENT_INVALID', {}, { root: null });
  return [...found, ...(await signatureVectors())];
}

/** What is signed, and how it is written. */
async function signatureVectors(): Promise<KeyHistoryVector[]> {
  const good = await history(BEGIN);
  const RULE = 'A signature is Ed25519 over the JCS form of the statement, base64url without padding.';
  const signature = textAt(good, 'signatures.0.signature');
  const spelt = (name: string, text: string): KeyHistoryVector =>
    vector(`signature-${name}`, RULE, change(good, 'signatures.0.signature', text), 'SIGNATURE_INVALID');
  const standard = Buffer.from(signature, 'base64url').toString('base64');
  return [
    spelt('with-padding', `${signature}==`),
    spelt('in-base64', standard.replaceAll('=', '')),
    spelt('too-short', signature.slice(0, -2)),
    spelt('of-the-set', await sign(ROOT, at(good, 'statement.keySet'))),
    vector('signature-of-another-version', RULE, change(good, 'statement.version', 2), 'SIGNATURE_INVALID'),
    vector('signature-of-another-promise', RULE, change(good, 'statement.nextUpdate', LATEST), 'SIGNATURE_INVALID'),
  ];
}

/** What the caller pinned, accepted before and reads on the clock. */
async function callerVectors(): Promise<KeyHistoryVector[]> {
  const good = await history(BEGIN);
  const second = await history(BEGIN, { statement: { version: 2 } });
  const PIN = 'The caller pins a node and a root of it.';
  const OLDER = '`version` or `historyHead.seq` is lower than what was accepted before.';
  const FORK = 'The entry at the `seq` accepted before has another hash, or the same version another head.';
  const CLOCK = 'The clock is past `nextUpdate`, or before `issuedAt`.';
  const head = (seq: number): Caller['seen'] => ({
    version: 1,
    historyHead: {
      seq,
      hash: seq === 3 ? textAt(good, 'statement.historyHead.hash') : textAt(good, `entries.${seq}.prevHash`),
    },
  });
  const seen = (seq: number, version = 1): Caller => ({
    seen: { version, historyHead: { seq, hash: head(seq)?.historyHead.hash ?? '' } },
  });
  const other = { version: 1, historyHead: { seq: 2, hash: textAt(good, 'entries.1.prevHash') } };
  const longer: Caller = { seen: { version: 1, historyHead: { seq: 4, hash: other.historyHead.hash } } };
  const clock = (name: string, time: string, ...notices: readonly string[]): KeyHistoryVector =>
    vector(`clock-${name}`, CLOCK, good, null, { clock: time, notices });
  const pending = await history([...BEGIN, addKey(OTHER)], { head: 3 });
  return [
    vector('pin-of-another-node', PIN, good, 'NODE_MISMATCH', { nodeId: 'another' }),
    vector('pin-of-another-root', PIN, good, 'ROOT_UNKNOWN', pinned(NEXT)),
    vector('pin-of-a-signing-key', PIN, good, 'ROOT_UNKNOWN', pinned(ACTIVE)),
    vector('pin-of-a-kid', PIN, good, 'ROOT_UNKNOWN', { root: ROOT.kid }),
    vector('no-node-is-pinned', PIN, good, 'ROOT_NOT_PINNED', { nodeId: null }),
    vector('no-root-is-pinned', PIN, good, 'ROOT_NOT_PINNED', { root: null }),
    vector('no-root-is-pinned-of-another-node', PIN, good, 'ROOT_NOT_PINNED', { nodeId: 'another', root: null }),
    vector('seen-before', OLDER, good, null, seen(3)),
    vector('seen-with-fewer-entries', OLDER, second, null, seen(2)),
    vector('seen-in-an-older-version', OLDER, second, null, seen(3)),
    vector('seen-in-a-newer-version', OLDER, good, 'ROLLBACK', seen(3, 2)),
    vector('seen-with-more-entries', OLDER, second, 'ROLLBACK', longer),
    vector('seen-with-pending-entries', OLDER, pending, 'ROLLBACK', longer),
    vector('seen-with-another-entry', FORK, second, 'FORK', { seen: other }),
    vector('seen-in-the-version-of-another-head', FORK, good, 'FORK', seen(2)),
    vector(
      'seen-unsigned',
      'A signature that does not count comes before a rollback.',
      await unsignedBy(),
      'SIGNATURE_INVALID',
      seen(3, 2),
    ),
    clock('in-time', LATER),
    clock('at-the-promise', UPDATE),
    clock('past-the-promise', '2027-01-02T00:00:00.000000001Z', 'KEY_HISTORY_OVERDUE'),
    clock('at-the-issue', START),
    clock('before-the-issue', BEFORE, 'KEY_HISTORY_FROM_FUTURE'),
    vector('clock-past-the-promise-with-pending-entries', CLOCK, pending, null, {
      clock: '2028-01-01T00:00:00Z',
      notices: ['KEY_HISTORY_OVERDUE', 'KEY_HISTORY_PENDING'],
    }),
  ];
}

const unsignedBy = (): Promise<JsonObject> => history(BEGIN, { signers: [THIRD] });
