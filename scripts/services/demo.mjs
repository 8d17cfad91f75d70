import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from '../setup/run-program.mjs';
import { SetupError } from '../setup/setup-error.mjs';
import { dashboardFiles, nodeFiles } from './catalogue.mjs';
import { writePrivately } from './data-folder.mjs';
import { mainOf } from './launch.mjs';

const TENANT = 'demo';
const OWNER_EMAIL = 'owner@demo.example';

/**
 * The demo tenant's API key and, with a dashboard, its owner: from an earlier start, or new. A key
 * that the node made before it had a dashboard moves there, and with it the tenant: its executions stay its own.
 * @returns {Promise<{apiKey: string, owner?: {email: string, password: string}}>}
 */
export async function demoAccount({ root, path, hasDashboard }) {
  const node = commandsOf('node', { root, env: nodeFiles(path) });
  const keyFile = path('api-key');
  if (!hasDashboard) {
    if (!existsSync(keyFile)) writePrivately(keyFile, `${await node(['api-key', 'create', '--tenant', TENANT])}\n`);
    return { apiKey: readLine(keyFile) };
  }
  const ownerFile = path('owner.json');
  const dashboard = commandsOf('dashboard', { root, env: dashboardFiles(path) });
  if (!existsSync(ownerFile)) {
    const tenantId = await node(['tenant', 'create', '--name', TENANT]);
    await dashboard(['tenant', 'create', '--name', TENANT, '--id', tenantId]);
    if (existsSync(keyFile))
      await dashboard(['api-key', 'create', '--tenant', TENANT, '--key-stdin'], readLine(keyFile));
    else writePrivately(keyFile, `${await dashboard(['api-key', 'create', '--tenant', TENANT])}\n`);
    const owner = { email: OWNER_EMAIL, password: randomBytes(12).toString('base64url') };
    await dashboard(
      ['owner', 'create', '--tenant', TENANT, '--email', owner.email, '--password-stdin'],
      owner.password,
    );
    writePrivately(ownerFile, `${JSON.stringify(owner)}\n`);
  }
  return { apiKey: readLine(keyFile), owner: JSON.parse(readFileSync(ownerFile, 'utf8')) };
}

/** Runs commands of a service. @returns a function from words and input to the output */
export function commandsOf(name, { root, env }) {
  const main = mainOf(root, name);
  return async (words, input) => {
    const { code, output } = await runNode([main, ...words], { cwd: root, env: { ...process.env, ...env }, input });
    if (code === 0) return output.trim();
    throw new SetupError(`The demo account could not be made (${name} ${words.slice(0, 2).join(' ')}).`, output.trim());
  };
}

function readLine(file) {
  return readFileSync(file, 'utf8').trim();
}

/**
 * Certifies a made-up model call. At the next start the same call replays its certificate.
 * @returns the node's response
 */
export async function certifySample({ root, nodeUrl, apiKey }) {
  const { describeChatCompletion } = await import('../../examples/calls/describe.mjs');
  const call = JSON.parse(readFileSync(join(root, 'examples', 'calls', 'chat-completion-tools.json'), 'utf8'));
  const response = await fetch(`${nodeUrl}/v1/cer/ai/certify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(describeChatCompletion(call, { executionId: 'sample-call', provider: 'openai' })),
  }).catch(() => {
    throw new SetupError(
      'The node did not answer the sample call.',
      'See its log in the data folder, then start again.',
    );
  });
  const body = await response.json();
  if (response.ok) return body;
  throw new SetupError(
    `The sample call was not certified: ${response.status} ${body.error}.`,
    response.status === 401
      ? 'The key in the data folder was revoked or belongs to other data. Move the data folder away and start again.'
      : 'See the logs in the data folder.',
  );
}
