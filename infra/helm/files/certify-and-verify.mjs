// `helm test`: the node is ready; with an API key, a certificate is made, found again and verified.
import { existsSync, readFileSync } from 'node:fs';

const node = process.env.NODE_URL;
const KEY_FILE = process.env.API_KEY_FILE ?? '/run/secrets/test/api-key';

const ask = async (path, options = {}) => {
  const response = await fetch(`${node}${path}`, options);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};
const post = (path, body, headers = {}) =>
  ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

await ask('/ready');
console.log('ready');
if (existsSync(KEY_FILE)) {
  const authorization = `Bearer ${readFileSync(KEY_FILE, 'utf8').trim()}`;
  const request = {
    executionId: `helm-test-${Date.now()}`,
    provider: 'example',
    model: 'none',
    input: 'helm test',
    output: 'helm test',
    parameters: {},
  };
  const { cer: bundle, certificateHash } = await post('/v1/cer/ai/certify', request, { authorization });
  const found = await ask(`/v1/cer/public?certificate_hash=${encodeURIComponent(certificateHash)}`);
  if (found.certificateHash !== certificateHash) throw new Error('the record is not the one that was certified');
  const { status, reasonCode } = await post('/v1/cer/verify', { bundle });
  if (status !== 'verified') throw new Error(`the certificate does not verify: ${reasonCode}`);
  console.log(`certified, found and verified: ${certificateHash}`);
}
