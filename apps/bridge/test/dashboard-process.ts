import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram } from '@cer/http-service/testing';
import { startService, type ServiceProcess } from './service-process.js';

export interface Owner {
  readonly email: string;
  readonly password: string;
  readonly tenant: string;
}

export const OWNER: Owner = {
  email: 'owner@example.com',
  password: 'correct horse battery staple',
  tenant: 'Example Ltd',
};

/** A real control plane with one owner. */
export interface DashboardProcess extends ServiceProcess {
  /** A new API key of the owner's account. */
  readonly newKey: () => string;
  /** Another account with its owner. */
  readonly newOwner: () => Owner;
}

export async function startDashboardProcess(given: {
  readonly port: number;
  readonly bridgeUrl: string;
  readonly nodeUrl: string;
  readonly serviceToken: string;
}): Promise<DashboardProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bridge-dashboard-'));
  const tokenFile = join(folder, 'service-token');
  writeFileSync(tokenFile, given.serviceToken, { mode: 0o600 });
  const env = {
    PORT: String(given.port),
    DATABASE_URL: `sqlite:${join(folder, 'dashboard.sqlite')}`,
    PUBLIC_URL: `http://127.0.0.1:${given.port}`,
    BRIDGE_URL: given.bridgeUrl,
    NODE_URL: given.nodeUrl,
    SERVICE_TOKEN_FILE: tokenFile,
    JWKS_KEYS_FILE: join(folder, 'jwks.json'),
  };
  const run = (args: readonly string[], input = ''): string =>
    execFileSync(process.execPath, [builtProgram('apps/dashboard/src/main.ts'), ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      input,
      encoding: 'utf8',
    }).trim();
  const make = ({ email, password, tenant }: Owner): void => {
    run(['owner', 'create', '--email', email, '--tenant', tenant, '--password-stdin'], `${password}\n`);
  };
  make(OWNER);
  const service = await startService('dashboard', env);
  return {
    ...service,
    newKey: () => run(['api-key', 'create', '--tenant', OWNER.tenant]),
    newOwner: () => {
      const id = randomUUID().slice(0, 8);
      const owner = { email: `${id}@example.com`, password: 'another long password', tenant: `Other ${id}` };
      make(owner);
      return owner;
    },
    stop: async () => {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
