// Makes examples/timestamps/ from examples/certificates/ with a temporary time-stamping authority, so
// every run gives other tokens: run it only to change the sample. Needs a build and `openssl`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { formatTimestampRequest, parseTimestampResponse } from '@cer/timestamps';
import { buildMerkleTree } from '@cer/tlog/merkle';
import { createOpensslTsa } from '@cer/timestamps/testing';

const examples = join(import.meta.dirname, '..', 'examples');
const folder = join(examples, 'timestamps');
const read = (name) => JSON.parse(readFileSync(join(examples, 'certificates', `${name}.json`), 'utf8'));
const digestOfReceipt = ({ meta }) =>
  timestampDigest(timestampedText(meta.attestation.receipt, meta.attestation.signature));

const tsa = createOpensslTsa({ name: 'Sample Time Authority', days: '36500' });

async function timestamped(bundle, imprint, inclusion) {
  const nonce = Uint8Array.of(1);
  const token = parseTimestampResponse(await tsa.reply(formatTimestampRequest({ imprint, nonce })));
  const base64 = Buffer.from(token).toString('base64');
  const timestamp = { type: 'rfc3161', status: 'verified', provider: 'Sample Time Authority', token: base64 };
  const entry = { ...timestamp, covers: 'receipt', ...(inclusion !== undefined && { inclusion }) };
  return { ...bundle, meta: { ...bundle.meta, timestamps: [entry] } };
}

const certified = read('certified');
const batch = [certified, read('certified-messages'), read('confidential')];
const leafIndex = 2;
const tree = buildMerkleTree(batch.map(digestOfReceipt));
const path = tree.inclusionPath(leafIndex).map((hash) => `sha256:${Buffer.from(hash).toString('hex')}`);
const inclusion = { treeSize: tree.size, leafIndex, path };

const revoked = {
  ...{ status: 'revoked', revokedAt: '2027-06-01T00:00:00.000Z', compromisedSince: '2027-05-01T00:00:00.000Z' },
  revocationReason: 'keyCompromise',
};
const signers = [{ signer: testSigner('examples/certificates'), ...revoked }];
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
const files = {
  'timestamped.json': json(await timestamped(certified, digestOfReceipt(certified))),
  'timestamped-in-batch.json': json(await timestamped(batch[leafIndex], tree.root, inclusion)),
  'keys-revoked.json': json(testKeySet({ nodeId: 'sample-node', signers })),
  'tsa-roots.pem': tsa.rootPem,
};
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
tsa.remove();
