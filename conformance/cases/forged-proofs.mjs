// Proofs that are made here from "Log proofs" and "Transparency log", with the keys of the log's vectors: of leaves with
// any label, under checkpoints that are cosigned at any time.
import { createHash, createHmac, createPrivateKey, sign } from 'node:crypto';
import { canonical } from '../canonical.mjs';

const MALFORMED = 'LOG_PROOF_MALFORMED';
const INCLUDED = 'included';
const LATE = 'LOG_LATE';
const BACKDATED = 'LOG_BACKDATED';
const CONFLICT = 'LOG_TIME_CONFLICT';

const SIGNED_AT = Date.parse('2026-01-02T03:04:05Z') / 1000;
/** The hour of the operator and the tolerance between clocks. */
const IN_TIME = 3900;
const RECEIPT = {
  certificateHash: `sha256:${'1'.repeat(64)}`,
  nodeId: 'node',
  kid: 'k',
  timestamp: '2026-01-02T03:04:05.000Z',
};
const SIGNATURE = 'c2lnbmF0dXJl';
const TYPE = 'svc.log-leaf.v1';

const sha256 = (...parts) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();
const hmac = (key, content) => createHmac('sha256', key).update(content).digest();
const written = (hash) => `sha256:${hash.toString('hex')}`;
const [RECEIPT_SALT, TENANT_SALT] = [1, 2].map((byte) => Buffer.alloc(32, byte));
const LABEL = {
  appId: null,
  at: RECEIPT.timestamp,
  bundleType: 'cer.ai.execution.v1',
  kind: 'certificate',
  number: 1,
  tenant: written(sha256('a tenant')),
};
const DIGEST = sha256(canonical({ receipt: RECEIPT, signature: SIGNATURE }));
const leafOf = (receipt, tenant) => sha256([0, 1], sha256(receipt, tenant));
const EMPTY = sha256('');

function publicOpening() {
  const tenant = sha256('the commitment to a label');
  const opening = { type: TYPE, receiptSalt: RECEIPT_SALT.toString('base64url'), tenantCommitment: written(tenant) };
  return { opening, leaf: leafOf(hmac(RECEIPT_SALT, DIGEST), tenant) };
}

function ownerOpening(label, salt = TENANT_SALT) {
  const opening = {
    type: TYPE,
    receiptSalt: RECEIPT_SALT.toString('base64url'),
    tenantSalt: salt.toString('base64url'),
    label,
  };
  return { opening, leaf: leafOf(hmac(RECEIPT_SALT, DIGEST), hmac(salt, canonical(label))) };
}

/**
 * @param {Record<string, {vkey: string, seed: string}>} keys the rows of keys.json
 * @param {string} policy the text of policy.txt: a quorum of two of w1, w2 and w3
 * @returns {{name: string, rule: string, outcome: string, proof: string, notBefore: string|null, policy: string}[]}
 */
export function forgedProofs(keys, policy) {
  const log = { keys, policy };
  return [...times(log), ...lowerBounds(log), ...labels(log), ...notes(log)].map((made) => ({
    policy,
    notBefore: null,
    receipt: RECEIPT,
    signature: SIGNATURE,
    ...made,
    name: `${made.name}${made.outcome === INCLUDED ? '' : '_fail'}`,
  }));
}

function signatureLine({ vkey, seed }, message, time) {
  const [name, id] = vkey.split('+');
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(seed, 'hex')]);
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const stamp = Buffer.alloc(time === undefined ? 0 : 8);
  if (time !== undefined) stamp.writeBigUInt64BE(BigInt(time));
  const signed = time === undefined ? message : `cosignature/v1\ntime ${time}\n${message}`;
  const bytes = Buffer.concat([Buffer.from(id, 'hex'), stamp, sign(null, Buffer.from(signed), key)]);
  return `— ${name} ${bytes.toString('base64')}`;
}

/** A checkpoint, signed by a log and cosigned by `[witness, seconds after the receipt]`. */
function checkpoint({ keys }, { by = 'log', origin = keys[by].vkey.split('+')[0], size = 1, root, cosigned }) {
  const text = `${origin}\n${size}\n${root.toString('base64')}\n`;
  const lines = cosigned.map(([name, after]) => signatureLine(keys[name], text, SIGNED_AT + after));
  return `${text}\n${[signatureLine(keys[by], text), ...lines].join('\n')}\n`;
}

function proofText({ opening, index = 0, path = [], note }) {
  const extra = Buffer.from(typeof opening === 'string' ? opening : canonical(opening)).toString('base64');
  const hashes = path.map((hash) => hash.toString('base64'));
  return ['c2sp.org/tlog-proof@v1', `extra ${extra}`, `index ${index}`, ...hashes, '', note].join('\n');
}

/** The proof of the only leaf of a log. */
function alone(log, cosigned, { opening, leaf } = publicOpening()) {
  return proofText({ opening, note: checkpoint(log, { root: leaf, cosigned }) });
}

function times(log) {
  const BY = 'loggedBy is when the cosignatures, from the earliest on, meet the quorum.';
  const OF_ALL = log.policy.replace('group two 2', 'group two all');
  const NONE = log.policy.replace('quorum two', 'quorum none');
  const far = 10 * IN_TIME;
  return [
    ['at-once', INCLUDED, [0, 0]],
    ['at-the-end-of-the-hour', INCLUDED, [IN_TIME, IN_TIME]],
    ['after-the-hour', LATE, [IN_TIME + 1, IN_TIME + 1]],
    ['second-after-the-hour', LATE, [0, IN_TIME + 1]],
    ['third-after-the-hour', INCLUDED, [far, 0, IN_TIME]],
    ['third-of-all-after-the-hour', LATE, [0, 0, IN_TIME + 1], OF_ALL],
    ['at-the-tolerance', INCLUDED, [-300, -300]],
    ['before-the-tolerance', CONFLICT, [-301, -301]],
    ['first-before-the-tolerance', INCLUDED, [-far, -300]],
    ['second-before-the-tolerance', CONFLICT, [0, -301, -far]],
    ['late-under-no-quorum', INCLUDED, [far, far], NONE],
    ['early-under-no-quorum', INCLUDED, [-far, -far], NONE],
    ['unwitnessed-under-no-quorum', INCLUDED, [], NONE],
  ]
    .map(([name, outcome, seconds, policy = log.policy]) => ({
      name: `time-${name}`,
      rule: BY,
      outcome,
      policy,
      proof: alone(
        log,
        seconds.map((after, place) => [`w${place + 1}`, after]),
      ),
    }))
    .concat([
      {
        name: 'time-first-of-two-by-one',
        rule: 'The earliest cosignature of a witness counts.',
        outcome: CONFLICT,
        proof: alone(log, [
          ['w1', IN_TIME],
          ['w1', -301],
          ['w2', -301],
        ]),
      },
    ]);
}

function lowerBounds(log) {
  const AFTER = 'loggedAfter is when the cosignatures of notBefore, from the latest down, meet the quorum.';
  const BOUND = 'notBefore is a checkpoint of the same log whose size is not above the index.';
  const late = [
    ['w1', 2 * IN_TIME],
    ['w2', 2 * IN_TIME],
  ];
  const proof = alone(log, late);
  const before = (more, ...seconds) =>
    checkpoint(log, {
      size: 0,
      root: EMPTY,
      cosigned: seconds.map((after, place) => [`w${place + 1}`, after]),
      ...more,
    });
  const beyond = [IN_TIME + 1, IN_TIME + 1];
  const sound = before({}, ...beyond);
  // The second of two leaves.
  const { opening, leaf } = publicOpening();
  const first = sha256('the first leaf');
  const root = sha256([1], first, leaf);
  const second = proofText({
    opening,
    index: 1,
    path: [first],
    note: checkpoint(log, { size: 2, root, cosigned: late }),
  });
  const row = (name, rule, outcome, notBefore, of = proof) => ({
    name: `not-before-${name}`,
    rule,
    outcome,
    notBefore,
    proof: of,
  });
  const broken = (line) => `${line.trimEnd().slice(0, -8)}AAAAAAA=\n`;
  return [
    row('absent', 'Without notBefore nothing is known of the time before.', LATE, null),
    row('after-the-hour', AFTER, BACKDATED, sound),
    row('at-the-end-of-the-hour', AFTER, LATE, before({}, IN_TIME, IN_TIME)),
    row('second-in-the-hour', AFTER, LATE, before({}, 2 * IN_TIME, IN_TIME)),
    row('third-in-the-hour', AFTER, BACKDATED, before({}, 0, IN_TIME + 1, 2 * IN_TIME)),
    row('two-in-the-hour', AFTER, LATE, before({}, 2 * IN_TIME, 0, IN_TIME)),
    row(
      'latest-of-two-by-one',
      'The latest cosignature of a witness counts.',
      BACKDATED,
      checkpoint(log, {
        size: 0,
        root: EMPTY,
        cosigned: [
          ['w1', IN_TIME + 1],
          ['w1', 0],
          ['w2', IN_TIME + 1],
        ],
      }),
    ),
    row('of-the-index', BOUND, BACKDATED, before({ size: 1, root: first }, ...beyond), second),
    row('of-more-than-the-index', BOUND, LATE, before({ size: 2, root }, ...beyond), second),
    row('of-the-proof', BOUND, LATE, before({ size: 1, root: leaf }, ...beyond)),
    row('of-another-log', BOUND, LATE, before({ by: 'epochs' }, ...beyond)),
    row('of-an-unknown-key', BOUND, LATE, before({ by: 'other' }, ...beyond)),
    row('of-one-witness', 'notBefore needs the quorum.', LATE, before({}, IN_TIME + 1)),
    row('with-a-broken-line', 'notBefore needs valid signatures.', LATE, broken(sound)),
    row(
      'of-no-empty-tree',
      'The root of size 0 is that of the empty tree.',
      MALFORMED,
      before({ root: leaf }, ...beyond),
    ),
    row('without-final-newline', 'The form of a signed note.', MALFORMED, sound.slice(0, -1)),
    row('of-no-text', 'The form of a signed note.', MALFORMED, ''),
  ];
}

function labels(log) {
  const FORM = 'A label has its members, each in its form.';
  const RANGES = 'The label of a deletion names ascending ranges of numbers, at most 100.';
  const OPENING = 'Only an opening of the form public or owner opens a receipt.';
  const now = [
    ['w1', 0],
    ['w2', 0],
  ];
  const labelled = (name, rule, outcome, label) => ({
    name: `label-${name}`,
    rule,
    outcome,
    proof: alone(log, now, ownerOpening({ ...LABEL, ...label })),
  });
  const opened = (name, rule, outcome, opening, leaf) => ({
    name: `leaf-${name}`,
    rule,
    outcome,
    proof: alone(log, now, { opening, leaf }),
  });
  const { deletes: _none, ...deletion } = { ...LABEL, kind: 'deletion', appId: null, bundleType: null };
  const deleted = (name, outcome, deletes) => labelled(`deletes-${name}`, RANGES, outcome, { ...deletion, deletes });
  const ranges = (count) => Array.from({ length: count }, (_, at) => [2 * at + 1, 2 * at + 1]);
  const owner = ownerOpening(LABEL);
  const open = publicOpening();
  const without = (opening, name) => Object.fromEntries(Object.entries(opening).filter(([other]) => other !== name));
  return [
    labelled('sound', FORM, INCLUDED, {}),
    labelled('with-an-app', FORM, INCLUDED, { appId: 'app' }),
    labelled('without-a-type', FORM, INCLUDED, { bundleType: null }),
    labelled('type-number', FORM, MALFORMED, { bundleType: 1 }),
    labelled('time-null', FORM, MALFORMED, { at: null }),
    labelled('time-number', FORM, MALFORMED, { at: 1 }),
    labelled('tenant-in-capitals', FORM, MALFORMED, { tenant: `sha256:${'A'.repeat(64)}` }),
    labelled('kind-null', FORM, MALFORMED, { kind: null }),
    labelled('number-negative', FORM, MALFORMED, { number: -1 }),
    ...['hash-only', 'reseal', 'project', 'again'].map((kind) => labelled(`kind-${kind}`, FORM, INCLUDED, { kind })),
    labelled('deletes-absent', RANGES, MALFORMED, deletion),
    deleted('one', INCLUDED, [[1, 1]]),
    deleted('neighbours', INCLUDED, [
      [1, 2],
      [3, 4],
    ]),
    deleted('null', MALFORMED, null),
    deleted('nothing', MALFORMED, []),
    deleted('an-object', MALFORMED, {}),
    deleted('a-number', MALFORMED, [1]),
    deleted('half-a-range', MALFORMED, [[1]]),
    deleted('three-numbers', MALFORMED, [[1, 2, 3]]),
    deleted('zero', MALFORMED, [[0, 1]]),
    deleted('a-fraction', MALFORMED, [[1, 1.5]]),
    deleted('text', MALFORMED, [['1', '2']]),
    deleted('downwards', MALFORMED, [[2, 1]]),
    deleted('out-of-order', MALFORMED, [
      [3, 4],
      [1, 2],
    ]),
    deleted('overlapping', MALFORMED, [
      [1, 2],
      [2, 3],
    ]),
    deleted('100-ranges', INCLUDED, ranges(100)),
    deleted('101-ranges', MALFORMED, ranges(101)),
    opened('public', OPENING, INCLUDED, open.opening, open.leaf),
    opened(
      'commitment-that-is-none',
      OPENING,
      MALFORMED,
      { ...open.opening, tenantCommitment: open.opening.tenantCommitment.slice(7) },
      open.leaf,
    ),
    opened(
      'tenant-salt-of-31-bytes',
      'Salts are 32 bytes.',
      MALFORMED,
      ...Object.values(ownerOpening(LABEL, TENANT_SALT.subarray(1))),
    ),
    opened(
      'of-the-form-label',
      OPENING,
      MALFORMED,
      {
        ...without(owner.opening, 'receiptSalt'),
        receiptCommitment: written(hmac(RECEIPT_SALT, DIGEST)),
      },
      owner.leaf,
    ),
    opened('of-the-form-erased', OPENING, MALFORMED, { type: TYPE, leafHash: written(open.leaf) }, open.leaf),
    ...['receiptSalt', 'tenantSalt', 'label', 'type'].map((name) =>
      opened(`without-${name}`.toLowerCase(), OPENING, MALFORMED, without(owner.opening, name), owner.leaf),
    ),
    opened('with-escapes', 'extra is base64 of the JCS opening.', MALFORMED, escaped(open.opening), open.leaf),
    opened('with-a-name-twice', 'extra is base64 of the JCS opening.', MALFORMED, doubled(open.opening), open.leaf),
  ];
}

const escaped = (opening) => canonical(opening).replace('svc', String.raw`\u0073vc`);
const doubled = (opening) => canonical(opening).replace('"type"', `"type":"x","type"`);

/** Limits of a note and of a path, with signatures that are right. */
function notes(log) {
  const { opening, leaf } = publicOpening();
  const now = [
    ['w1', 0],
    ['w2', 0],
  ];
  const note = checkpoint(log, { root: leaf, cosigned: now });
  const row = (name, rule, outcome, proof) => ({ name: `note-${name}`, rule, outcome, proof });
  const line = (bytes) => `— x.example ${Buffer.alloc(bytes, 1).toString('base64')}\n`;
  const padding = 256 * 1024 - Buffer.byteLength(note) - Buffer.byteLength(line(0));
  const filled = (more) => `${note}${line(((padding + more) / 4) * 3)}`;
  const whole = (given, more = {}) => proofText({ opening, note: given, ...more });
  const FORM = 'The form of a tlog-proof.';
  const SIZE = 'A note has at most 256 KiB.';
  const rest = padding % 4;
  const deep = (height) => {
    const path = Array.from({ length: height }, (_, at) => sha256([at]));
    const root = path.reduce((found, sibling) => sha256([1], found, sibling), leaf);
    return whole(checkpoint(log, { size: 2 ** height, root, cosigned: now }), { path });
  };
  return [
    row('of-one-leaf', FORM, INCLUDED, whole(note)),
    row('below-256-kib', SIZE, INCLUDED, whole(filled(-rest))),
    row('above-256-kib', SIZE, MALFORMED, whole(filled(4 - rest + (rest === 0 ? 4 : 0)))),
    row('of-five-bytes', 'A signature has more than its four bytes of a key.', INCLUDED, whole(`${note}${line(5)}`)),
    row('path-of-52-hashes', FORM, INCLUDED, deep(52)),
    row('extra-alone', FORM, MALFORMED, whole(note).replace('index 0\n', '')),
    row('word-before-the-index', FORM, MALFORMED, whole(note).replace('index 0', 'place 0')),
    row('index-of-17-digits', 'Numbers are up to 2^53-1.', MALFORMED, whole(note, { index: '0'.repeat(17) })),
    row('without-a-note', FORM, MALFORMED, whole(note).split('\n\n')[0]),
    row('without-signatures', FORM, MALFORMED, `${whole(note).split('\n\n').slice(0, 2).join('\n\n')}\n`),
  ];
}
