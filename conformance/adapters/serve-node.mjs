// The attestation node on an empty database, for the journeys of the suite. Ends when standard input does.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', '..', 'apps', 'node', 'dist', 'main.js');
const ADMIN_SECRET = 'conformance-admin-secret-of-one-run';

export async function serveNode() {
  const folder = mkdtempSync(join(tmpdir(), 'cer-conformance-node-'));
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
    KEYS_FILE: join(folder, 'keys.json'),
    COMMITMENT_SECRET_FILE: join(folder, 'secrets.json'),
    VERIFY_URL: 'https://verify.example',
    ADMIN_SECRET,
    PORT: '0',
    LOG_LEVEL: 'info',
  };
  const keyOf = (...more) =>
    execFileSync(process.execPath, [MAIN, 'api-key', 'create', '--tenant', ...more], { env, encoding: 'utf8' }).trim();
  const keys = {
    apiKey: keyOf('first'),
    otherTenantKey: keyOf('second'),
    renderOnlyKey: keyOf('first', '--scopes', 'render'),
  };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    if (log === null) return;
    log += chunk;
    const url = /"url":"([^"]+)"/.exec(log)?.[1];
    if (url === undefined) return;
    log = null;
    process.stdout.write(`${JSON.stringify({ url, ...keys, adminSecret: ADMIN_SECRET })}\n`);
  });
  process.stdin.resume().once('end', () => child.kill('SIGTERM'));
  process.once('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'close');
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
}
