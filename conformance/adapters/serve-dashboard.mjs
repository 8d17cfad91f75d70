// The dashboard on an empty database with one account, for the journeys of services that ask it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mainOf, serveProcess } from './served.mjs';

const MAIN = mainOf('dashboard');
const SERVICE_TOKEN = 'conformance-service-token-of-one-run';
const OPERATOR_TOKEN = 'conformance-operator-token-of-one-run';
const TENANT = 'Example Ltd';

export async function serveDashboard() {
  const folder = mkdtempSync(join(tmpdir(), 'cer-conformance-dashboard-'));
  const fileOf = (name, text) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: `sqlite:${join(folder, 'dashboard.sqlite')}`,
    JWKS_KEYS_FILE: join(folder, 'jwks.json'),
    SERVICE_TOKEN_FILE: fileOf('service-token', SERVICE_TOKEN),
    OPERATOR_TOKEN_FILE: fileOf('operator-token', OPERATOR_TOKEN),
    PUBLIC_URL: 'https://dashboard.example',
    PORT: '0',
    LOG_LEVEL: 'info',
  };
  const run = (...words) => execFileSync(process.execPath, [MAIN, ...words], { env, encoding: 'utf8' }).trim();
  run('tenant', 'create', '--name', TENANT);
  const facts = {
    serviceToken: SERVICE_TOKEN,
    operatorToken: OPERATOR_TOKEN,
    tenantName: TENANT,
    apiKey: run('api-key', 'create', '--tenant', TENANT),
    renderOnlyKey: run('api-key', 'create', '--tenant', TENANT, '--scopes', 'render'),
  };
  await serveProcess({ main: MAIN, env, folder, facts });
}
