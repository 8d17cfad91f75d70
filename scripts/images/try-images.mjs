// npm run test:images
// Runs each image of `npm run images` on a Docker engine as docker-compose.yml does: as its own user, with a read-only root,
// without capabilities, under a seccomp profile, with limits of memory and processes. It certifies through the node's and
// draws with the renderer's Chromium.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../setup/options.mjs';
import { run } from './buildah.mjs';
import { docker, loadImage, withEngine } from './engine.mjs';

const root = join(import.meta.dirname, '..', '..');
const HEALTHY_WITHIN_MS = 120_000;
const TOKEN = 't'.repeat(43);
const RENDERER_PROFILE = 'seccomp=infra/docker/renderer-seccomp.json';
const CONFINED = [
  ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
  ...['--memory', '4g', '--pids-limit', '512'],
];
const CERTIFY = readFileSync(join(root, 'infra/helm/files/certify-and-verify.mjs'), 'utf8');
const nowhere = 'http://127.0.0.1:1';
const writeToken = `umask 077; printf '%s' '${TOKEN}' > /var/lib/cer/token`;

/** The needs of each service at its start, and the check of its work. */
const SERVICES = {
  node: {
    port: 4100,
    env: { DATABASE_URL: 'sqlite:/var/lib/cer/node.sqlite' },
    setUp: 'node apps/node/dist/main.js init',
    check: certifies,
  },
  verifier: { port: 4200, env: { NODE_URL: nowhere }, check: answers('/health') },
  renderer: { port: 4110, env: { RENDERER_TOKEN: TOKEN }, options: ['--security-opt', RENDERER_PROFILE], check: draws },
  'renderer without its profile': {
    ...{ image: 'renderer', port: 4110, env: { RENDERER_TOKEN: TOKEN } },
    check: answers('/ready', 503, 'no jail'),
  },
  bridge: {
    port: 4300,
    env: {
      ...{ PUBLIC_URL: nowhere, NODE_URL: nowhere, CONTROL_PLANE_URL: nowhere },
      ...{ DATABASE_URL: 'sqlite:/var/lib/cer/bridge.sqlite', CONTROL_PLANE_TOKEN_FILE: '/var/lib/cer/token' },
    },
    setUp: writeToken,
    check: answers('/health'),
  },
  dashboard: {
    port: 4400,
    env: {
      ...{ DATABASE_URL: 'sqlite:/var/lib/cer/dashboard.sqlite', PUBLIC_URL: nowhere },
      SERVICE_TOKEN_FILE: '/var/lib/cer/token',
    },
    setUp: writeToken,
    check: answers('/ready'),
  },
  witness: {
    port: 4601,
    env: { LOG_VKEYS: logKey('log.example/image') },
    setUp: 'node apps/witness/dist/main.js init --name witness.example/image --db /var/lib/cer/witness.sqlite',
    check: answers('/health'),
  },
};

readOptions(import.meta.filename);
process.exitCode = await withEngine(async () => {
  let failed = 0;
  for (const [name, service] of Object.entries(SERVICES)) {
    try {
      console.log(`${name}: ${await tryImage({ image: name, ...service })}`);
    } catch (error) {
      console.log(`${name}: FAILED: ${error instanceof Error ? error.message : String(error)}`);
      failed += 1;
    }
  }
  console.log(`${Object.keys(SERVICES).length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

async function tryImage({ image: service, port, env = {}, options = [], setUp, check }) {
  const image = `execution-certification-${service}`;
  if (!(await loadImage(image))) throw new Error(`not built. Run: npm run images -- ${service}`);
  const id = `cer-image-${service}-${randomBytes(4).toString('hex')}`;
  const variables = Object.entries(env).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]);
  const common = [...CONFINED, ...options, ...variables, '--volume', `${id}:/var/lib/cer`];
  try {
    if (setUp !== undefined) await docker(['run', '--rm', ...common, '--entrypoint', 'sh', image, '-c', setUp]);
    const published = ['--publish', `127.0.0.1::${port}`, '--health-interval', '2s'];
    await docker(['run', '--detach', '--name', id, ...common, ...published, image]);
    await untilHealthy(id);
    await assertConfined(id);
    const address = (await docker(['port', id, `${port}`])).trim().split('\n')[0];
    const done = await check({ url: `http://${address}`, exec: (...words) => docker(['exec', id, ...words]) });
    return `healthy, confined, ${done}`;
  } finally {
    await docker(['rm', '--force', id]);
    await docker(['volume', 'rm', '--force', id]);
  }
}

/** Waits for the health check that the image brings. */
async function untilHealthy(id) {
  for (const until = Date.now() + HEALTHY_WITHIN_MS; Date.now() < until; await sleep(500)) {
    const [{ State }] = JSON.parse(await docker(['inspect', id]));
    if (State.Health?.Status === 'healthy') return;
    if (!State.Running) break;
  }
  const said = await run('sh', ['-c', `docker logs --tail 20 ${id} 2>&1`]);
  throw new Error(`not healthy:\n${said.slice(-2000)}`);
}

/** The kernel's account of the service's process, not the settings with which it was started. */
async function assertConfined(id) {
  const script = [
    'cat /proc/1/status',
    'for place in / /service /service/apps /usr/local/bin /etc; do if touch $place/x 2>/dev/null; then echo "writable $place"; fi; done',
    'touch /tmp/x || echo "no /tmp"',
    '[ -s /usr/local/LICENSE ] || echo "no licence of Node.js"',
    'for tool in npm npx gcc make python3; do if command -v $tool; then echo "tool $tool"; fi; done',
  ].join('\n');
  const said = await docker(['exec', id, 'sh', '-c', script]);
  for (const [rule, holds] of [
    ['runs as user 1000', /^Uid:\t1000\t1000\t1000\t1000$/m],
    ['has no capabilities', /^CapEff:\t0+$/m],
    ['cannot gain any', /^CapBnd:\t0+$/m],
    ['has no new privileges', /^NoNewPrivs:\t1$/m],
    ['is under a seccomp filter', /^Seccomp:\t2$/m],
    ['has a read-only root, a /tmp, licences and no build tools', /^(?![\s\S]*^(writable|tool|no) )/m],
  ]) {
    if (!holds.test(said)) throw new Error(`it does not hold that the process ${rule}:\n${said}`);
  }
}

/** The verifier key of a log that has no entries, as `log init` prints it. @see https://c2sp.org/signed-note */
function logKey(name) {
  const { publicKey } = generateKeyPairSync('ed25519');
  const key = Buffer.concat([Buffer.of(1), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);
  const id = createHash('sha256').update(`${name}\n`).update(key).digest('hex').slice(0, 8);
  return `${name}+${id}+${key.toString('base64')}`;
}

function answers(path, expected = 200, says = '') {
  return async ({ url }) => {
    const response = await fetch(`${url}${path}`);
    const text = await response.text();
    if (response.status !== expected || !text.includes(says)) throw new Error(`${path} is ${response.status}: ${text}`);
    return `${path} is ${expected}${says && `: ${says}`}`;
  };
}

/** The program of `helm test`, in the container. */
async function certifies({ exec }) {
  await exec('sh', '-c', 'umask 077; node apps/node/dist/main.js api-key create --tenant image > /tmp/api-key');
  const env = ['env', 'NODE_URL=http://127.0.0.1:4100', 'API_KEY_FILE=/tmp/api-key'];
  return (await exec(...env, 'node', '--input-type=module', '--eval', CERTIFY)).trim().split('\n').at(-1);
}

async function draws({ url }) {
  const code = 'function setup() { background(20, 40, 80); fill(255, 180, 0); circle(975, 1200, 600); }';
  const headers = {
    ...{ 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    'x-render-nonce': randomBytes(16).toString('hex'),
  };
  const drawn = [];
  for (const engine of ['portable', 'chromium-native']) {
    const body = JSON.stringify({ tenantId: 'image', code, engine });
    const response = await fetch(`${url}/render`, { method: 'POST', headers, body });
    const answer = await response.json();
    if (!response.ok) throw new Error(`/render is ${response.status}: ${JSON.stringify(answer)}`);
    drawn.push(`${engine} ${answer.pixelHash.slice(0, 15)}`);
  }
  return `drew ${drawn.join(' and ')}`;
}
