// node scripts/certify-release.mjs TAG SHA256SUMS OUT
// Certifies the checksums of a release with a running node.
// CER_NODE_URL and CER_API_KEY name the node and the key. The bundle has the file's SHA-256 as its input; OUT is the
// certified bundle, which `cer verify` and the offline verifier check.
import { readFileSync, writeFileSync } from 'node:fs';
import { readOptions, refuse } from './setup/options.mjs';

const { positionals } = readOptions(import.meta.filename, { allowPositionals: true });
const [tag, sums, out] = positionals;
const { CER_NODE_URL: node, CER_API_KEY: key } = process.env;
if (!tag || !sums || !out || !node || !key) {
  refuse('Usage: CER_NODE_URL=... CER_API_KEY=... node scripts/certify-release.mjs TAG SHA256SUMS OUT');
}

const response = await fetch(`${node}/v1/cer/ai/certify`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
  body: JSON.stringify({
    executionId: `release-${tag}`,
    provider: 'execution-certification-service',
    model: 'release',
    modelVersion: tag,
    input: readFileSync(sums, 'utf8'),
    output: tag,
    parameters: {},
    protocolVersion: '1.3.0',
  }),
});
const answer = await response.json();
if (!response.ok) {
  console.error(`the node answered ${response.status} ${answer.error}: ${answer.message}`);
  process.exit(1);
}
writeFileSync(out, `${JSON.stringify(answer.cer, null, 2)}\n`);
console.log(`${out}: ${answer.certificateHash}`);
