// npm run test:compose
// Starts docker-compose.yml as its head says, from the images of `npm run images`, and uses the
// system through the proxy with TLS: certifies, looks up, verifies, draws, ingests; then with a node less,
// after a restart and a restore, and with a log and its witness.
import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../setup/options.mjs';
import { run } from './buildah.mjs';
import { composeCommand, composeOf, ensureCompose } from './compose.mjs';
import { docker, loadImage, withEngine } from './engine.mjs';

const root = join(import.meta.dirname, '..', '..');
const PROJECT = 'cer-compose-test';
const HOST = 'cer.localhost';
const OWN = ['node', 'renderer', 'verifier', 'bridge', 'dashboard', 'witness'].map(
  (name) => `execution-certification-${name}`,
);
/** Pulled where the engine reaches a registry; otherwise their stand-ins of Debian. */
const OTHERS = ['postgres:17-bookworm', 'haproxy:3.0-bookworm'];
const WITNESS = 'witness.example/own';
const COSIGNED_WITHIN_MS = 180_000;
const SKETCH = 'function setup() { background(20, 40, 80); circle(975, 1200, 600); }';

readOptions(import.meta.filename);
process.exitCode = await withEngine(async () => {
  for (const name of OWN) {
    if (!(await loadImage(name))) throw new Error(`${name} is not built. Run: npm run images`);
  }
  for (const name of OTHERS) if (!(await loadImage(name))) await docker(['pull', '--quiet', name]);
  const folder = mkdtempSync(join(tmpdir(), 'cer-compose-'));
  const compose = composeOf(folder, PROJECT);
  try {
    for (const path of ['docker-compose.yml', 'infra/compose', 'infra/docker', 'infra/helm/files']) {
      cpSync(join(root, path), join(folder, path), { recursive: true });
    }
    return await useSystem(folder, compose);
  } catch (error) {
    console.log(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
    console.log((await compose('logs', '--tail', '15').catch(String)).slice(-6000));
    return 1;
  } finally {
    await compose('--profile', 'log', 'down', '--volumes', '--timeout', '10');
    rmSync(folder, { recursive: true, force: true });
  }
}, ensureCompose);

async function useSystem(folder, compose) {
  let passed = 0;
  const step = async (what, work) => {
    console.log(`${what}: ${await work()}`);
    passed += 1;
  };
  const secret = (name) => join(folder, 'infra/compose/secrets', name);
  const through = async (name, path, { status = 200, ...more } = {}) => {
    const tls = ['--path-as-is', '--cacert', secret('tls.crt'), '--resolve', '*:8443:127.0.0.1'];
    const body = more.body === undefined ? [] : ['--data-binary', JSON.stringify(more.body)];
    const headers = ['--header', 'Content-Type: application/json', '--header', `Authorization: Bearer ${more.key}`];
    const own = more.key === undefined ? [] : headers;
    const address = `https://${name === '' ? '' : `${name}.`}${HOST}:8443${path}`;
    const said = await run('curl', ['-sS', ...tls, ...body, ...own, '--write-out', '\n%{http_code}', address]);
    const [text, code] = [said.slice(0, said.lastIndexOf('\n')), said.slice(said.lastIndexOf('\n') + 1)];
    if (Number(code) !== status) throw new Error(`${address} is ${code}: ${text.slice(0, 500)}`);
    return text;
  };
  const inService = (name, ...words) => compose('exec', '-T', name, 'node', `apps/${name}/dist/main.js`, ...words);
  /** The program of `helm test`, in a container of this network, by the name and certificate of the proxy. */
  const certify = async (key) => {
    const network = `${PROJECT}_default`;
    const proxy = (await compose('ps', '--quiet', 'proxy')).trim();
    const [{ NetworkSettings }] = JSON.parse(await docker(['inspect', proxy]));
    const mounts = [
      ...[
        '--volume',
        `${join(folder, 'infra/helm/files')}:/test:ro`,
        '--volume',
        `${secret('tls.crt')}:/run/tls.crt:ro`,
      ],
      ...['--volume', `${key}:/run/secrets/test/api-key:ro`],
    ];
    const env = ['--env', `NODE_URL=https://node.${HOST}:8443`, '--env', 'NODE_EXTRA_CA_CERTS=/run/tls.crt'];
    const address = ['--network', network, '--add-host', `node.${HOST}:${NetworkSettings.Networks[network].IPAddress}`];
    const entry = ['--entrypoint', 'node', 'execution-certification-node', '/test/certify-and-verify.mjs'];
    return (await docker(['run', '--rm', ...address, ...mounts, ...env, ...entry])).trim().split('\n').at(-1);
  };

  await step('secrets', () => run('sh', [join(folder, 'infra/compose/secrets.sh'), HOST]));
  await step('up', async () => {
    await compose('up', '--no-build', '--detach', '--wait', '--wait-timeout', '300');
    const lines = (await compose('ps', '--format', '{{.Service}} {{.Health}}')).trim().split('\n');
    return lines.sort().join(', ');
  });
  await step(
    'owner',
    async () =>
      (await compose(...'run --rm -T dashboard owner create --email you@example.com --tenant Acme'.split(' ')))
        .trim()
        .split('\n')[0],
  );
  const tenant = (await inService('node', 'tenant', 'create', '--name', 'compose')).trim();
  await inService('dashboard', 'tenant', 'create', '--name', 'compose', '--id', tenant);
  const key = (await inService('dashboard', 'api-key', 'create', '--tenant', 'compose')).trim();
  const keyFile = secret('api-key');
  await run('sh', ['-c', `umask 077; printf '%s' "$1" > "$2"; chown 1000:1000 "$2"`, 'sh', key, keyFile]);
  let hash = '';
  await step('certify through the proxy', async () => {
    const said = await certify(keyFile);
    hash = said.split(' ').at(-1);
    return said;
  });
  await step('name of the node', async () => {
    const { nodeId } = JSON.parse(await through('node', '/'));
    if (nodeId !== `node.${HOST}`) throw new Error(`it is ${nodeId}`);
    return nodeId;
  });
  await step('verifier', async () => {
    const page = await through('', `/c/${encodeURIComponent(hash)}`);
    if (!page.includes('data-verdict="VERIFIED"')) throw new Error('the page does not say VERIFIED');
    return 'the page says VERIFIED';
  });
  await step('renderer', async () => {
    const body = { snapshot: { code: SKETCH, seed: 'compose', vars: [] } };
    const { verified, computedPixelHash } = JSON.parse(await through('node', '/verify', { key, body }));
    if (verified !== true) throw new Error('the sketch is not verified');
    return `drew and certified ${computedPixelHash}`;
  });
  await step('bridge', async () => {
    const execution = { executionId: 'compose-1', provider: 'example', model: 'none', input: 'in', output: 'out' };
    const body = { executions: [execution] };
    const { results } = JSON.parse(await through('bridge', '/api/v1/ingest/executions', { key, body }));
    if (results[0].ok !== true) throw new Error(JSON.stringify(results));
    return `ingested ${results[0].certificateHash}`;
  });
  await step('dashboard', async () => `sign-in has ${(await through('dashboard', '/sign-in')).length} bytes`);
  await step('closed', async () => {
    for (const name of ['node', 'bridge', 'dashboard', '']) {
      for (const path of ['/metrics', '/metrics?a=b', '//metrics', '/%6detrics', '/v1/../metrics']) {
        await through(name, path, { status: 404 });
      }
    }
    for (const path of [
      '/internal',
      '/internal/',
      '/internal/v1/usage',
      '//internal/v1/usage',
      '/%69nternal/v1/usage',
    ]) {
      await through('dashboard', path, { status: 404, body: {} });
    }
    return '/metrics and /internal/ are 404 in every spelling';
  });
  await step('with one node', async () => {
    const [one] = (await compose('ps', '--quiet', 'node')).trim().split('\n');
    await docker(['stop', one]);
    return certify(keyFile);
  });
  await step('after a restart of all', async () => {
    await compose('down', '--timeout', '20');
    await compose('up', '--no-build', '--detach', '--wait', '--wait-timeout', '300');
    const found = await through('node', `/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`);
    if (!found.includes(hash)) throw new Error('the record is gone');
    return `the first record is there; ${await certify(keyFile)}`;
  });
  await step('backup, and restore into an empty system', async () => {
    process.env.COMPOSE = composeCommand(PROJECT).join(' ');
    const script = (name) => run('sh', [join(folder, 'infra/compose', name), join(folder, 'backup')]);
    await script('backup.sh');
    await compose('down', '--volumes', '--timeout', '20');
    rmSync(join(folder, 'infra/compose/secrets'), { recursive: true });
    await script('restore.sh');
    await compose('up', '--no-build', '--detach', '--wait', '--wait-timeout', '300');
    const found = await through('node', `/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`);
    if (!found.includes(hash)) throw new Error('the record is gone');
    return `the first record is there; ${await certify(keyFile)}`;
  });
  await step('log with a witness', async () => {
    const set = (line) => appendFileSync(join(folder, '.env'), `${line}\n`);
    set(`LOG_ORIGIN=node.${HOST}/log`);
    const log = (await compose('run', '--rm', '-T', 'node', 'log', 'init')).trim();
    set(`LOG_VKEYS=${[...log.matchAll(/^log (.*)$/gm)].map(([, vkey]) => vkey).join(' ')}`);
    const name = ['--name', WITNESS, '--db', '/var/lib/cer/witness.sqlite'];
    const vkey = (await compose('run', '--rm', '-T', 'witness', 'init', ...name)).trim();
    const policy = `${log}\nwitness own ${vkey} http://witness:4601\nquorum own\n`;
    writeFileSync(join(folder, 'infra/compose/settings/log-policy.txt'), policy);
    set('LOG_POLICY_FILE=/run/settings/log-policy.txt');
    await compose('--profile', 'log', 'up', '--no-build', '--detach', '--wait', '--wait-timeout', '300');
    await certify(keyFile);
    for (const until = Date.now() + COSIGNED_WITHIN_MS; ; await sleep(1_000)) {
      const checkpoint = await through('node', '/log/checkpoint').catch(String);
      if (checkpoint.includes(`\u2014 ${WITNESS} `)) return `checkpoint of ${checkpoint.split('\n')[1]}, cosigned`;
      if (Date.now() > until) throw new Error(`no cosigned checkpoint: ${checkpoint}`);
    }
  });
  console.log(`${passed} passed, 0 failed`);
  return 0;
}
