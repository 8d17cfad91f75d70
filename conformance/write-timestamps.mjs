// node conformance/write-timestamps.mjs: writes cases/timestamps.json again, with new tokens of `openssl ts`. Their
// times and keys change with each run; the cases do not.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatTimestampRequest, parseTimestampResponse } from '@cer/timestamps';
import { createOpensslTsa } from '@cer/timestamps/testing';
import { canonical } from './canonical.mjs';
import { editedToken, EDITS } from './edited-tokens.mjs';

const RECEIPT = {
  certificateHash: `sha256:${'1'.repeat(64)}`,
  nodeId: 'node',
  kid: 'k',
  timestamp: '2026-01-02T03:04:05Z',
};
const SIGNATURE = 'c2lnbmF0dXJl';
const hashOf = (...parts) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();
const text = (digest) => `sha256:${digest.toString('hex')}`;
const leaf = (digest) => hashOf([0], digest);
const node = (left, right) => hashOf([1], left, right);

const signing = hashOf(canonical({ receipt: RECEIPT, signature: SIGNATURE }));
const contentHash = Buffer.from('1'.repeat(64), 'hex');
/** A batch of three: ours is the second. */
const neighbours = [leaf(hashOf('a')), leaf(hashOf('b'))];
const root = node(node(neighbours[0], leaf(signing)), neighbours[1]);
const path = neighbours.map(text);
const last = node(node(...neighbours), leaf(signing));

const authorities = { ec: createOpensslTsa(), rsa: createOpensslTsa({ key: 'rsa', name: 'RSA authority' }) };
const roots = { ec: authorities.ec.rootPem, rsa: authorities.rsa.rootPem };
const tokenOf = async (imprint, by = authorities.ec) =>
  Buffer.from(parseTimestampResponse(await by.reply(formatTimestampRequest({ imprint, nonce: Uint8Array.of(1) }))));
const flawed = async (flaw) => {
  const whole = await tokenOf(signing);
  const file = join(authorities.ec.folder, 'whole.tok');
  writeFileSync(file, whole);
  const info = () =>
    execFileSync('openssl', ['cms', '-verify', '-noverify', '-inform', 'DER', '-in', file], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  return Buffer.from(await authorities.ec.sign(async () => info(), flaw));
};
const ofSha512 = async () => {
  const file = join(authorities.ec.folder, 'sha512.tsq');
  const digest = createHash('sha512')
    .update(canonical({ receipt: RECEIPT, signature: SIGNATURE }))
    .digest('hex');
  execFileSync('openssl', ['ts', '-query', '-digest', digest, '-sha512', '-cert', '-out', file], { stdio: 'ignore' });
  return Buffer.from(parseTimestampResponse(await authorities.ec.reply(readFileSync(file))));
};

const whole = await tokenOf(signing);
const batch = await tokenOf(root);
const changed = (at) => Buffer.from(whole.map((byte, index) => (index === whole.length + at ? byte ^ 1 : byte)));
const ec = { status: 'verified', covers: 'receipt', provider: 'Test TSA' };
const invalid = { status: 'invalid' };
const place = { treeSize: 3, leafIndex: 1, path };
const pinned = { roots: 'ec' };

/** [id, rule, token, expected, more of the case] */
const cases = [
  ['receipt', 'A token over receipt and signature dates the signing.', whole, ec],
  [
    'rsa',
    'Authorities sign with RSA too.',
    await tokenOf(signing, authorities.rsa),
    { ...ec, provider: 'RSA authority' },
    { roots: 'rsa' },
  ],
  [
    'content',
    'A token over the bytes of certificateHash dates the content.',
    await tokenOf(contentHash),
    { ...ec, covers: 'content' },
  ],
  [
    'content-text',
    'A token over the text of certificateHash dates the content.',
    await tokenOf(hashOf(RECEIPT.certificateHash)),
    { ...ec, covers: 'content' },
  ],
  [
    'unknown-root',
    'A token under a root that is not pinned is untrusted.',
    whole,
    { ...ec, status: 'untrusted' },
    { roots: 'rsa' },
  ],
  ['no-roots', 'Without a way to check tokens none is looked at.', whole, { status: 'not-checked' }, { roots: null }],
  ['batch', 'In a batch the root is the imprint, over the leaf input.', batch, ec, { inclusion: place }],
  [
    'batch-last',
    'The last leaf of an odd tree has a shorter path.',
    await tokenOf(last),
    ec,
    { inclusion: { treeSize: 3, leafIndex: 2, path: [text(node(...neighbours))] } },
  ],
  [
    'batch-of-one',
    'A batch of one has an empty path.',
    await tokenOf(leaf(signing)),
    ec,
    { inclusion: { treeSize: 1, leafIndex: 0, path: [] } },
  ],
  ['other-receipt_fail', 'The imprint must be that of the data.', await tokenOf(hashOf('other')), invalid],
  [
    'path-too-long_fail',
    'A path has exactly the right length.',
    batch,
    invalid,
    { inclusion: { ...place, path: [...path, path[0]] } },
  ],
  [
    'path-too-short_fail',
    'A path has exactly the right length.',
    batch,
    invalid,
    { inclusion: { ...place, path: path.slice(1) } },
  ],
  [
    'path-of-another-leaf_fail',
    'A path leads from the leaf that it names.',
    batch,
    invalid,
    { inclusion: { ...place, leafIndex: 0 } },
  ],
  ['beyond-the-tree_fail', 'A leaf is inside the tree.', batch, invalid, { inclusion: { ...place, leafIndex: 3 } }],
  [
    'path-without-prefix_fail',
    'Hashes of a path are sha256: and 64 digits.',
    batch,
    invalid,
    { inclusion: { ...place, path: path.map((hash) => hash.slice(7)) } },
  ],
  ['root-as-leaf_fail', 'The root of a batch is not a leaf.', batch, invalid],
  [
    'digest-as-batch_fail',
    'A leaf of a batch is hashed as one.',
    whole,
    invalid,
    { inclusion: { treeSize: 1, leafIndex: 0, path: [] } },
  ],
  ['expired_fail', 'The chain is valid at genTime.', await flawed('expired'), invalid],
  ['two-purposes_fail', 'The extended key usage is timeStamping alone.', await flawed('two purposes'), invalid],
  ['uncritical-purpose_fail', 'The extended key usage is critical.', await flawed('uncritical purpose'), invalid],
  ['no-purpose_fail', 'The extended key usage is there.', await flawed('no purpose'), invalid],
  ['sha-1_fail', 'The older ESSCertID is not enough, and SHA-256 is the least.', await flawed('SHA-1'), invalid],
  ['imprint-sha-512_fail', 'The imprint is id-sha256.', await ofSha512(), invalid],
  ['changed-signature_fail', 'The CMS is signed.', changed(-1), invalid],
  ['cut_fail', 'A token is whole DER.', whole.subarray(0, -1), invalid],
  ['byte-behind_fail', 'Nothing is behind a token.', Buffer.concat([whole, Buffer.of(0)]), invalid],
  ['empty_fail', 'A token has bytes.', Buffer.alloc(0), invalid],
  [
    'edited-in-nothing',
    'A token that is signed again is whole.',
    editedToken(whole, authorities.ec.folder, () => {}),
    ec,
  ],
  ...EDITS.map(([id, what, edit]) => [
    `${id}_fail`,
    `${what} has one form, whoever signed it.`,
    editedToken(whole, authorities.ec.folder, edit),
    invalid,
  ]),
  ['too-large_fail', 'A token has at most 64 KiB.', whole, invalid, { zeros: 64 * 1024 }],
];
const tests = cases.map(([id, rule, token, expected, more = {}]) => ({
  ...{ id, rule, ...pinned, ...more, token: token.toString('base64'), expected },
}));
const file = { heading: 'External timestamps', rootSets: roots, receipt: RECEIPT, signature: SIGNATURE, tests };
writeFileSync(join(import.meta.dirname, 'cases', 'timestamps.json'), `${JSON.stringify(file, null, 2)}\n`);
for (const authority of Object.values(authorities)) authority.remove();
