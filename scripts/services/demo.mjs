import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from '../setup/run-program.mjs';
import { SetupError } from '../setup/setup-error.mjs';
import { nodeFiles } from './catalogue.mjs';
import { writePrivately } from './data-folder.mjs';

const TENANT = 'demo';

/** The demo tenant's API key: the one made at an earlier start, or a new one. */
export async function demoApiKey({ root, path }) {
  const file = path('api-key');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const main = join(root, 'apps', 'node', 'dist', 'main.js');
  const env = { ...process.env, ...nodeFiles(path) };
  const { code, output } = await runNode([main, 'api-key', 'create', '--tenant', TENANT], { cwd: root, env });
  if (code !== 0) throw new SetupError('The demo API key could not be made.', output.trim());
  writePrivately(file, `${output.trim()}\n`);
  return output.trim();
}

/**
 * Certifies a recorded model call. The same call again, at the next start, replays its certificate.
 * @returns the answer of the node
 */
export async function certifySample({ root, nodeUrl, apiKey }) {
  const { describeChatCompletion } = await import('../../examples/calls/describe.mjs');
  const call = JSON.parse(readFileSync(join(root, 'examples', 'calls', 'chat-completion-tools.json'), 'utf8'));
  const response = await fetch(`${nodeUrl}/v1/cer/ai/certify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ ...describeChatCompletion(call, { provider: 'openai' }), executionId: 'sample-call' }),
  });
  const body = await response.json();
  if (response.ok) return body;
  throw new SetupError(
    `The sample call was not certified: ${response.status} ${body.error}.`,
    response.status === 401
      ? 'The key in the data folder is not known to this node. Remove the file api-key there and start again.'
      : 'See the logs in the data folder.',
  );
}
