import { describe, expect, it } from '@jest/globals';
import { cosign, noteKeyOf, parseCheckpoint, parseVkey, signCheckpoint, formatVkey } from '../src/note.js';
import { judgeCheckpoint, parseLogPolicy, parseTlogProof, TlogError } from '../src/index.js';
import { parseOpening } from '../src/leaf.js';
import { parseTilePath } from '../src/tiles.js';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { KEYS, PROOFS, readText } from './vectors.js';

function codeOf(read: () => unknown): string {
  try {
    read();
    return 'accepted';
  } catch (error) {
    if (error instanceof TlogError) return error.code;
    throw error;
  }
}

/** A signer of an Ed25519 seed of 32 bytes. */
function signerOf(seed: string): { sign: (message: Uint8Array) => Promise<Uint8Array>; raw: Uint8Array } {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(seed, 'hex')]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { sign: async (message) => sign(null, message, key), raw: spki.subarray(-32) };
}

const CHECKPOINT = readText('log-plain-300/checkpoint');
const VKEY = readText('log-plain-300/vkey').trim();

describe('a checkpoint', () => {
  it.each([
    ['no final newline', CHECKPOINT.slice(0, -1)],
    ['carriage returns', CHECKPOINT.replaceAll('\n', '\r\n')],
    ['a tab', CHECKPOINT.replace('300', '300\t')],
    ['a size with a leading zero', CHECKPOINT.replace('\n300\n', '\n0300\n')],
    ['a size beyond 2^53-1', CHECKPOINT.replace('\n300\n', '\n9007199254740992\n')],
    ['an extension line', CHECKPOINT.replace('=\n\n', '=\nmore\n\n')],
    ['a root without padding', CHECKPOINT.replace('=\n\n', '\n\n')],
    ['a root of another length', CHECKPOINT.replace('56/I', '')],
    ['no signature', CHECKPOINT.slice(0, CHECKPOINT.indexOf('\n\n') + 1)],
    ['65 signature lines', `${CHECKPOINT}${'\u2014 x AAAAAAA=\n'.repeat(64)}`],
    ['over 256 KiB', `${'a'.repeat(256 * 1024)}${CHECKPOINT}`],
    ['a lone surrogate', `\ud800${CHECKPOINT}`],
    ['an empty log with another root', CHECKPOINT.replace('\n300\n', '\n0\n')],
  ])('is refused with %s', (_, text) => {
    expect(text).not.toBe(CHECKPOINT);
    expect(codeOf(() => parseCheckpoint(text))).toBe('MALFORMED');
  });
});

describe('a vkey', () => {
  it.each([
    ['another id', VKEY.replace('+e1989b0e+', '+e1989b0f+')],
    ['no plus', VKEY.replaceAll('+', ' ')],
    ['an unknown type', `${VKEY.split('+').slice(0, 2).join('+')}+Bk/hyiu/`],
    ['a key of small order', `x+00000000+${Buffer.concat([Buffer.of(1), Buffer.alloc(32)]).toString('base64')}`],
  ])('is refused with %s', (_, text) => {
    expect(codeOf(() => parseVkey(text))).toBe('MALFORMED');
  });
});

describe('a policy', () => {
  const w1 = `witness w1 ${KEYS['w1']?.vkey ?? ''}`;
  const w2 = `witness w2 ${KEYS['w2']?.vkey ?? ''}`;
  it.each([
    ['no quorum', w1],
    ['two quorums', `${w1}\nquorum w1\nquorum w1`],
    ['a quorum before its definition', `quorum w1\n${w1}`],
    ['a key twice', `${w1}\nwitness other ${KEYS['w1']?.vkey ?? ''}\nquorum none`],
    ['a name twice', `${w1}\n${w2.replace('witness w2', 'witness w1')}\nquorum none`],
    ['a threshold above its members', `${w1}\ngroup g 2 w1\nquorum g`],
    ['a threshold of 0', `${w1}\ngroup g 0 w1\nquorum g`],
    ['a group without members', `${w1}\ngroup g all\nquorum g`],
    ['a member twice', `${w1}\ngroup g any w1 w1\nquorum g`],
    ['a member of two groups', `${w1}\ngroup g any w1\ngroup h any w1\nquorum h`],
    ['a log key for a witness', `witness w1 ${VKEY}\nquorum none`],
    ['a witness key for a log', `log ${KEYS['w1']?.vkey ?? ''}\nquorum none`],
    ['an unknown line', 'witnesses w1\nquorum none'],
    ['a name that is reserved', `${w1.replace('witness w1', 'witness none')}\nquorum none`],
    ['a carriage return', 'quorum none\r'],
  ])('is refused with %s', (_, text) => {
    expect(codeOf(() => parseLogPolicy(text))).toBe('POLICY_INVALID');
  });

  it('counts groups of groups', () => {
    const policy = parseLogPolicy(
      `${w1}\n  ${w2}\nwitness w3\t${KEYS['w3']?.vkey ?? ''}\n# comment\n\ngroup a any w1 w2\ngroup b all a w3\nquorum b\n`,
    );
    expect(policy.isMet(new Set(['w1', 'w2']))).toBe(false);
    expect(policy.isMet(new Set(['w3']))).toBe(false);
    expect(policy.isMet(new Set(['w2', 'w3']))).toBe(true);
  });
});

describe('a signed checkpoint', () => {
  it('is accepted with its witness', async () => {
    const [log, witness] = [signerOf(KEYS['log']?.seed ?? ''), signerOf(KEYS['w1']?.seed ?? '')];
    const logKey = noteKeyOf('node.example/log', 'ed25519', log.raw);
    const witnessKey = noteKeyOf('witness.example/w1', 'cosignature', witness.raw);
    expect(formatVkey(witnessKey)).toBe(KEYS['w1']?.vkey);
    const head = { size: 1, root: new Uint8Array(32).fill(7) };
    const note = await signCheckpoint({ origin: 'node.example/log', ...head }, logKey, log);
    const signed = note + (await cosign(note.slice(0, note.indexOf('\n\n') + 1), 1_700_000_000, witnessKey, witness));
    const policy = parseLogPolicy(`log ${formatVkey(logKey)}\nwitness w1 ${formatVkey(witnessKey)}\nquorum w1\n`);
    expect(await judgeCheckpoint(parseCheckpoint(signed), policy)).toEqual({
      status: 'signed',
      witnesses: [{ name: 'w1', times: [1_700_000_000] }],
      isQuorumMet: true,
    });
    expect(await judgeCheckpoint(parseCheckpoint(note), policy)).toMatchObject({ isQuorumMet: false });
    const moved = parseCheckpoint(signed.replace('\n1\n', '\n2\n'));
    expect(await judgeCheckpoint(moved, policy)).toEqual({ status: 'refused', code: 'LOG_SIGNATURE_INVALID' });
    const renamed = parseCheckpoint(signed.replace('node.example/log\n', 'node.example/other\n'));
    expect(await judgeCheckpoint(renamed, policy)).toMatchObject({ status: 'refused' });
  });
});

describe('a tile path', () => {
  it.each(['tile/0/000', 'tile/63/x001/067', 'tile/entries/x001/x234/067.p/255', 'tile/1/000.p/1'])(
    'reads %s',
    (path) => {
      expect(codeOf(() => parseTilePath(path))).toBe('accepted');
    },
  );

  it.each([
    'tile/0/0',
    'tile/00/000',
    'tile/64/000',
    'tile/0/001/067',
    'tile/0/x000/067',
    'tile/0/x001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/000/',
    'tile/entries/000.p',
    'tile/-1/000',
  ])('refuses %s', (path) => {
    expect(codeOf(() => parseTilePath(path))).toBe('MALFORMED');
  });
});

describe('an opening', () => {
  const proof = PROOFS.proofs.find(({ form }) => form === 'owner')?.proof ?? '';
  const owner = Buffer.from(parseTlogProof(proof).extra).toString();
  it.each([
    ['a member more', owner.replace('{', '{"more":1,')],
    ['another type', owner.replace('svc.log-leaf.v1', 'svc.log-leaf.v2')],
    ['number 0', owner.replace(/"number":\d+/, '"number":0')],
    ['an unknown kind', owner.replace('"kind":"certificate"', '"kind":"note"')],
    ['ranges on a certificate', owner.replace('"kind":', '"deletes":[[1,2]],"kind":')],
    ['overlapping ranges', owner.replace('"kind":"certificate"', '"deletes":[[1,4],[4,5]],"kind":"deletion"')],
    ['a salt of another length', owner.replace(/"receiptSalt":"[^"]{4}/, '"receiptSalt":"')],
    ['a duplicate key', owner.replace('{', '{"type":"svc.log-leaf.v1",')],
    ['no object', '[]'],
    ['a space', owner.replace(':', ': ')],
    ['members in another order', owner.replace(/^\{(.*),("type":"svc.log-leaf.v1")\}$/, '{$2,$1}')],
  ])('is refused with %s', (_, text) => {
    expect(text).not.toBe(owner);
    expect(codeOf(() => parseOpening(text))).toBe('MALFORMED');
  });

  it('is accepted as written', () => {
    expect(codeOf(() => parseOpening(owner))).toBe('accepted');
  });
});
