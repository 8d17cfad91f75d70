// The whole system: PostgreSQL behind a proxy, nodes with a log, a witness, a renderer, dashboard, bridge, and a client
// that spools.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser } from '../scripts/browser.mjs';
import { runNode } from '../scripts/setup/run-program.mjs';
import { startPostgresServer } from '../scripts/test/postgres-server.mjs';
import { Member } from './member.mjs';
import { startProxy } from './proxy.mjs';

const root = join(import.meta.dirname, '..');
const mainOf = (app) => join(root, 'apps', app, 'dist', 'main.js');
const FAKETIME = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find(existsSync);
const LOG_ORIGIN = 'torture.example/log';

/** @param {{nodes: number, isSmall: boolean}} options small: without dashboard and bridge, the node has its own keys */
export async function startCluster({ nodes: count, isSmall }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-torture-'));
  const path = (...names) => join(folder, ...names);
  const postgres = await startPostgresServer();
  const databaseUrl = await postgres.createDatabase('torture');
  const { port } = new URL(databaseUrl);
  const databaseProxy = await startProxy({ host: '127.0.0.1', port: Number(port) });
  const browser = await ensureBrowser({ log: () => undefined });
  const ports = await freePorts(count + 4);
  const urlOf = (index) => `http://127.0.0.1:${ports[index]}`;
  const [witnessUrl, dashboardUrl, bridgeUrl, rendererUrl, ...nodeUrls] = ports.map((_port, index) => urlOf(index));
  writeFileSync(path('token'), `${'t'.repeat(43)}\n`, { mode: 0o600 });

  const keyFiles = { KEYS_FILE: path('keys.json'), COMMITMENT_SECRET_FILE: path('secrets.json'), LOG_ORIGIN };
  const nodeEnv = {
    ...keyFiles,
    DATABASE_URL: Object.assign(new URL(databaseUrl), { port: String(databaseProxy.port) }).href,
    LOG_POLICY_FILE: path('policy.txt'),
    LOG_EVERY_MS: '200',
    LOG_WITNESS_EVERY_S: '1',
    LOG_EPOCH_S: '5',
    ...(browser.path !== undefined && { RENDERER_URL: rendererUrl, RENDERER_TOKEN_FILE: path('token') }),
    ...(!isSmall && { CONTROL_PLANE_URL: dashboardUrl, CONTROL_PLANE_TOKEN_FILE: path('token') }),
    LOG_LEVEL: 'warn',
  };
  const dashboardEnv = {
    DATABASE_URL: `sqlite:${path('dashboard.sqlite')}`,
    SERVICE_TOKEN_FILE: path('token'),
    JWKS_KEYS_FILE: path('jwks.json'),
    PUBLIC_URL: dashboardUrl,
    LOG_LEVEL: 'warn',
  };
  const command = async (app, env, words) => {
    const { code, output } = await runNode([mainOf(app), ...words], { cwd: root, env: { ...process.env, ...env } });
    if (code !== 0) throw new Error(`${app} ${words.join(' ')}: ${output}`);
    return output.trim();
  };
  const direct = { ...keyFiles, DATABASE_URL: databaseUrl };
  await command('node', direct, ['init']);
  const logLines = (await command('node', direct, ['log', 'init'])).split('\n');
  const vkey = await command('witness', {}, ['init', '--name', 'witness.example/own', '--db', path('witness.sqlite')]);
  writeFileSync(path('policy.txt'), `${logLines.join('\n')}\nwitness own ${vkey} ${witnessUrl}\nquorum own\n`);
  const apiKey = await makeKey();
  async function makeKey() {
    const words = ['api-key', 'create', '--tenant', 'torture'];
    if (isSmall) return command('node', direct, words);
    const tenantId = await command('node', direct, ['tenant', 'create', '--name', 'torture']);
    await command('dashboard', dashboardEnv, ['tenant', 'create', '--name', 'torture', '--id', tenantId]);
    return command('dashboard', dashboardEnv, words);
  }

  const service = (name, app, url, env, args) =>
    new Member({
      name,
      main: mainOf(app),
      args,
      env: () => ({ ...env, PORT: new URL(url).port }),
      readyUrl: `${url}/ready`,
    });
  const witness = service(
    'witness',
    'witness',
    witnessUrl,
    {
      DATABASE_FILE: path('witness.sqlite'),
      LOG_VKEYS: logLines.map((line) => line.slice('log '.length)).join(' '),
      LOG_LEVEL: 'warn',
    },
    ['serve'],
  );
  const dashboard = service('dashboard', 'dashboard', dashboardUrl, dashboardEnv);
  const nodes = nodeUrls.map((url, index) => service(`node ${index + 1}`, 'node', url, nodeEnv));
  const bridge = service('bridge', 'bridge', bridgeUrl, {
    DATABASE_URL: `sqlite:${path('bridge.sqlite')}`,
    PUBLIC_URL: bridgeUrl,
    NODE_URL: nodeUrls[0],
    VERIFY_URL: 'https://verify.example',
    CONTROL_PLANE_URL: dashboardUrl,
    CONTROL_PLANE_TOKEN_FILE: path('token'),
    LOG_LEVEL: 'warn',
  });
  const renderer = service('renderer', 'renderer', rendererUrl, {
    RENDERER_TOKEN_FILE: path('token'),
    CHROMIUM_PATH: browser.path,
    RENDER_SECONDS_PER_HOUR: '100000',
    STILL_DEADLINE_MS: '120000',
    LOG_LEVEL: 'warn',
  });
  const spool = new Member({
    name: 'spool',
    main: join(import.meta.dirname, 'spool-program.mjs'),
    env: () => ({
      SPOOL: path('spool'),
      ACKNOWLEDGED: path('spooled.txt'),
      CER_NODE_URL: nodeUrls[0],
      CER_API_KEY: apiKey,
    }),
  });
  const drawing = browser.path === undefined ? [] : [renderer];
  const members = [witness, ...drawing, ...(isSmall ? [] : [dashboard]), ...nodes, ...(isSmall ? [] : [bridge]), spool];
  for (const member of members) await member.start();
  return {
    folder,
    path,
    databaseUrl,
    databaseProxy,
    postgres,
    members,
    nodes,
    nodeUrls,
    bridgeUrl: isSmall ? null : bridgeUrl,
    /** Why there is no renderer; null with one. */
    noRenderer: browser.path === undefined ? browser.reason : null,
    apiKey,
    spool,
    hasFaketime: FAKETIME !== undefined,
    /** Environment of a process whose clock is off by `seconds`. */
    clockOff: (seconds) => ({
      LD_PRELOAD: FAKETIME,
      FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
    stop: async () => {
      for (const member of members) await member.kill('SIGTERM');
      databaseProxy.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ports below the ephemeral ones that are free now. */
export async function freePorts(count) {
  const found = [];
  for (let port = 25_000 + Math.floor(Math.random() * 6_000); found.length < count; port += 1) {
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    found.push(port);
  }
  return found;
}
