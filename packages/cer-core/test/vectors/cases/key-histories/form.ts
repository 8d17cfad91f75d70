import { ACTIVE, at, change, object, type Json, type JsonObject } from '../../forge.js';
import { BEGIN, history, NEXT, ROOT, spki, START, vector, type KeyHistoryVector } from './history.js';

const FORM = 'A wrong form comes before a broken chain.';
const INVALID = 'INVALID';
const SOUND = 'CHAIN_BROKEN';

const ENDORSEMENT = { kid: ROOT.kid, signature: 'x' };
const kid = ACTIVE.kid;
/** A change of each kind with all of its members; which of them may be absent is in `OPTIONAL`. */
const CHANGES: readonly JsonObject[] = [
  { type: 'key-activated', kid },
  { type: 'key-retired', kid, retiredAt: START },
  { type: 'key-revoked', kid, revokedAt: START, reason: 'superseded', compromisedSince: START },
  { type: 'root-added', root: spki(NEXT), endorsement: ENDORSEMENT },
  { type: 'root-replaced', kid: ROOT.kid, root: spki(NEXT), endorsement: ENDORSEMENT },
  { type: 'root-revoked', kid: ROOT.kid, reason: 'keyCompromise', compromisedSince: START },
];
const OPTIONAL = ['compromisedSince', 'endorsement', 'contextUnprotectedBefore'];

/** The form of a history, each place of it in turn. The chain is broken, so that a sound form has another code. */
export async function formVectors(): Promise<KeyHistoryVector[]> {
  const good = await history(BEGIN);
  const key = 'entries.1.change.key';
  const broken = change(
    change(good, 'entries.1.issuedAt', '2026-01-01T00:00:00.000Z'),
    `${key}.contextUnprotectedBefore`,
    START,
  );
  const edited = (name: string, path: string, to: Json | undefined, code = INVALID): KeyHistoryVector =>
    vector(`form-${name}`, FORM, change(broken, path, to), code);
  const last = 'entries.2.change';
  const ofChange = CHANGES.flatMap((made) => {
    const whole = change(broken, last, made);
    return [vector(`form-${textOf(made['type'])}`, FORM, whole, SOUND), ...shapes(whole, last, textOf(made['type']))];
  });
  const [, retired = {}, revoked = {}, added = {}] = CHANGES;
  return [
    ...shapes(broken, '', 'document', ['statement']),
    ...['entries.0', 'statement', 'statement.historyHead', 'signatures.0', key, 'entries.0.change.root'].flatMap(
      (path) => shapes(broken, path, path.replaceAll('.', '-').toLowerCase()),
    ),
    ...shapes(change(broken, last, added), `${last}.endorsement`, 'endorsement'),
    ...ofChange,
    ...texts(broken, 'nodeId', 'node'),
    ...texts(broken, 'statement.nodeId', 'node-of-the-statement'),
    ...texts(broken, 'signatures.0.kid', 'kid-of-a-signature'),
    ...texts(broken, 'signatures.0.signature', 'signature'),
    ...texts(broken, `${key}.kid`, 'kid-of-a-key'),
    ...texts(broken, `${last}.kid`, 'kid'),
    ...texts(change(broken, last, added), `${last}.endorsement.kid`, 'kid-of-an-endorsement'),
    ...['entries.0.seq', 'statement.version', 'statement.historyHead.seq'].flatMap((path) => counts(broken, path)),
    ...['entries.1.prevHash', 'statement.historyHead.hash'].flatMap((path) => hashes(broken, path)),
    ...['entries.0.issuedAt', 'statement.issuedAt', 'statement.nextUpdate'].flatMap((path) => minted(broken, path)),
    ...[`${key}.createdAt`, `${key}.notBefore`, `${key}.contextUnprotectedBefore`].flatMap((path) =>
      times(broken, path),
    ),
    ...times(change(broken, last, retired), `${last}.retiredAt`),
    ...['revokedAt', 'compromisedSince'].flatMap((name) => times(change(broken, last, revoked), `${last}.${name}`)),
    ...publicKeys().map(([name, to, code]) => edited(`key-${name}`, `${key}.publicKey`, to, code)),
    edited('root-key-without-its-padding', 'entries.0.change.root.publicKey', unpadded(ROOT)),
    edited('type-of-another-version', 'type', 'svc.key-history.v2'),
    edited('type-of-another-statement', 'statement.type', 'svc.log-statement.v1'),
    edited('entries-of-an-object', 'entries', {}),
    edited('signatures-of-an-object', 'signatures', {}),
    edited('statement-of-text', 'statement', 'x'),
    edited('no-signatures', 'signatures', [], SOUND),
    edited('16-signatures', 'signatures', Array<Json>(16).fill(at(good, 'signatures.0')), SOUND),
    edited('17-signatures', 'signatures', Array<Json>(17).fill(at(good, 'signatures.0'))),
    edited('set-of-null', 'statement.keySet', null),
    edited('set-of-a-list', 'statement.keySet', []),
    edited('set-whose-node-is-a-number', 'statement.keySet.nodeId', 1),
    edited('set-whose-keys-are-an-object', 'statement.keySet.keys', {}),
    edited('set-with-a-key-of-any-form', 'statement.keySet.keys', [1], SOUND),
    edited('change-of-an-unknown-kind', `${last}.type`, 'key-lost'),
    edited('change-of-a-kind-in-another-case', `${last}.type`, 'Key-Activated'),
    edited('change-of-the-kind-constructor', last, { type: 'constructor' }),
    edited('change-of-a-list', last, ['key-activated']),
    edited('algorithm-of-another-name', `${key}.algorithm`, 'EdDSA'),
    edited('reason-unknown', last, { ...revoked, reason: 'lost' }),
    ...['keyCompromise', 'cessationOfOperation', 'unspecified'].map((reason) =>
      edited(`reason-${reason}`.toLowerCase(), last, { ...revoked, reason }, SOUND),
    ),
    edited('promise-for-the-moment', 'statement.nextUpdate', START),
  ];
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** An object without each of its members, with null for each, and with a further one. */
function shapes(
  document: JsonObject,
  path: string,
  name: string,
  nullable: readonly string[] = [],
): KeyHistoryVector[] {
  const place = path === '' ? document : object(at(document, path));
  const below = (member: string): string => (path === '' ? member : `${path}.${member}`);
  const edited = (how: string, member: string, to: Json | undefined, code: string): KeyHistoryVector =>
    vector(`form-${name}-${how}`.toLowerCase(), FORM, change(document, below(member), to), code);
  return [
    ...Object.keys(place).flatMap((member) => [
      edited(`without-${member}`, member, undefined, OPTIONAL.includes(member) ? SOUND : INVALID),
      edited(`${member}-is-null`, member, null, nullable.includes(member) ? SOUND : INVALID),
    ]),
    edited('with-a-further-member', 'note', 1, INVALID),
  ];
}

type Row = readonly [name: string, to: Json, code?: string];

function each(document: JsonObject, path: string, name: string, rows: readonly Row[]): KeyHistoryVector[] {
  return rows.map(([how, to, code = INVALID]) =>
    vector(`form-${name}-${how}`.toLowerCase(), FORM, change(document, path, to), code),
  );
}

function texts(document: JsonObject, path: string, name: string): KeyHistoryVector[] {
  return each(document, path, name, [
    ['empty', ''],
    ['of-256-units', '😀'.repeat(128), SOUND],
    ['of-257-units', `a${'😀'.repeat(128)}`],
    ['with-a-control-character', 'a\u0085'],
    ['with-a-lone-surrogate', 'a\ud800'],
    ['of-a-number', 1],
  ]);
}

function counts(document: JsonObject, path: string): KeyHistoryVector[] {
  return each(document, path, path.replaceAll('.', '-'), [
    ['is-zero', 0],
    ['is-negative', -1],
    ['is-a-fraction', 1.5],
    ['is-text', '1'],
    ['is-beyond', 2 ** 53],
    ['is-the-greatest', 2 ** 53 - 1, SOUND],
  ]);
}

function hashes(document: JsonObject, path: string): KeyHistoryVector[] {
  const hash = textOf(at(document, path));
  return each(document, path, path.replaceAll('.', '-'), [
    ['in-capitals', `sha256:${'A'.repeat(64)}`],
    ['without-prefix', hash.slice(7)],
    ['too-short', hash.slice(0, -1)],
  ]);
}

/** Times that the node writes itself: UTC with milliseconds. */
function minted(document: JsonObject, path: string): KeyHistoryVector[] {
  return each(document, path, path.replaceAll('.', '-'), [
    ['without-milliseconds', '2026-01-02T00:00:00Z'],
    ['with-microseconds', '2026-01-02T00:00:00.000000Z'],
    ['with-an-offset', '2026-01-02T00:00:00.000+00:00'],
    ['of-no-day', '2026-02-30T00:00:00.000Z'],
    ['with-a-line-break', `${START}\n`],
  ]);
}

function times(document: JsonObject, path: string): KeyHistoryVector[] {
  return each(document, path, path.replaceAll('.', '-'), [
    ['with-an-offset', '2026-01-02T01:00:00+01:00', SOUND],
    ['of-no-day', '2026-02-30T00:00:00.000Z'],
    ['without-a-zone', '2026-01-02T00:00:00'],
  ]);
}

function unpadded(signer: typeof ROOT): string {
  return textOf(spki(signer)['publicKey']).replace(/=+$/, '');
}

function publicKeys(): Row[] {
  const whole = Buffer.from(textOf(spki(ACTIVE)['publicKey']), 'base64');
  const [prefix, raw] = [whole.subarray(0, 12), whole.subarray(12)];
  const text = (...parts: readonly Buffer[]): string => Buffer.concat(parts).toString('base64');
  const point = (first: number): Buffer => Buffer.concat([Buffer.of(first), Buffer.alloc(31)]);
  return [
    ['without-its-prefix', text(raw)],
    ['of-x25519', text(Buffer.from('302a300506032b656e032100', 'hex'), raw)],
    ['with-a-byte-behind', text(whole, Buffer.of(0))],
    ['too-short', text(whole.subarray(0, -1))],
    ['without-its-padding', unpadded(ACTIVE)],
    ['with-a-line-break', `${text(whole)}\n`],
    ['of-the-neutral-point', text(prefix, point(1))],
    ['of-no-point', text(prefix, point(2))],
  ];
}
