// The attestation node on an empty database, for the journeys of the suite.
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mainOf, serveProcess } from './served.mjs';

const MAIN = mainOf('node');
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
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_'))),
  };
  const keyOf = (...more) =>
    execFileSync(process.execPath, [MAIN, 'api-key', 'create', '--tenant', ...more], { env, encoding: 'utf8' }).trim();
  const keys = {
    apiKey: keyOf('first'),
    otherTenantKey: keyOf('second'),
    renderOnlyKey: keyOf('first', '--scopes', 'render'),
  };
  await serveProcess({ main: MAIN, env, folder, facts: { ...keys, adminSecret: ADMIN_SECRET } });
}
