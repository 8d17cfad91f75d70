// node scripts/make-sample-certificates.mjs [--check]
// Makes examples/certificates/ from examples/calls/ with fixed test keys, so that every run gives the same bytes.
// `--check` writes nothing and fails when a file differs. Needs a build.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@cer/cer-core';
import { attestBundle, attestProject } from '@cer/cer-core/attest';
import { buildProject, deriveSalts, formatOpenings, sealExecution } from '@cer/cer-core/seal';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { readOptions } from './setup/options.mjs';
import { asConfidential, describeChatCompletion, describeMessages } from '../examples/calls/describe.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'examples', 'certificates');
const NODE_ID = 'sample-node';
const ATTESTED_AT = '2026-01-02T12:00:00.000Z';

// This private key is public knowledge: the samples only show how the parts fit together.
const signer = testSigner('examples/certificates');
const attestor = { signer, nodeId: NODE_ID, nodeRuntimeHash: sha256('sample runtime') };
const sampleSecret = new Uint8Array(32).fill(42);

const read = (name) => JSON.parse(readFileSync(join(root, 'examples', 'calls', `${name}.json`), 'utf8'));

function seal(description) {
  return sealExecution(description, {
    createdAt: ATTESTED_AT,
    timestamp: null,
    executionId: 'unused',
    saltsFor: (executionId) => deriveSalts(sampleSecret, 'sample-tenant', executionId),
  });
}

async function certify(sealed, number) {
  const attestationId = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const meta = await attestBundle(sealed, attestor, { attestationId, attestedAt: ATTESTED_AT });
  return { ...sealed.bundle, meta };
}

const chat = {
  ...describeChatCompletion(read('chat-completion-tools'), {
    executionId: 'chatcmpl-synthetic-0001',
    provider: 'example',
  }),
  protocolVersion: '1.3.0',
};
const messages = {
  ...describeMessages(read('messages-multipart'), {
    executionId: 'msg_synthetic_0002',
    provider: 'example',
    at: '2026-01-02T04:04:05.000Z',
  }),
  protocolVersion: '1.3.0',
};
const long = asConfidential(
  describeChatCompletion(read('chat-completion-long'), { executionId: 'chatcmpl-synthetic-0003', provider: 'example' }),
  'Summarise legal minutes.',
);

const sealedChat = seal(chat);
const sealedLong = seal(long);
const certified = await certify(sealedChat, 1);
const certifiedMessages = await certify(seal(messages), 2);
const confidential = await certify(sealedLong, 3);

const project = buildProject(
  {
    projectTitle: 'Sample project',
    projectBundleId: 'sample-project',
    startedAt: chat.createdAt,
    completedAt: ATTESTED_AT,
  },
  [
    { stepId: 'classify', bundle: certified, registryMembers: { stepLabel: 'Classify the goods' } },
    { stepId: 'compare', bundle: certifiedMessages, registryMembers: { parentStepIds: ['classify'] } },
  ],
);
const projectReceipt = await attestProject(project.integrity.projectHash, ATTESTED_AT, attestor);

const files = {
  'execution.json': chat,
  'confidential-execution.json': long,
  'sealed.json': sealedChat.bundle,
  'certified.json': certified,
  'certified-messages.json': certifiedMessages,
  'confidential.json': confidential,
  'confidential-openings.json': formatOpenings(sealedLong.salts),
  'project.json': { ...project, meta: { attestation: projectReceipt } },
  'keys.json': testKeySet({ nodeId: NODE_ID, signers: [{ signer }] }),
};

const { values } = readOptions(import.meta.filename, { options: { check: { type: 'boolean', default: false } } });
mkdirSync(folder, { recursive: true });
for (const [name, value] of Object.entries(files)) {
  const path = join(folder, name);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (!values.check) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    process.exitCode = 1;
    console.error(`${name} differs from what this script makes`);
  }
}
