// `npm run test:images`: runs each image that `npm run images` built, as its own user, and certifies through the node's.
// chroot isolation has no cgroups, no seccomp profile and no read-only root: these stay unproved here.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildah, buildahArguments, hasBuildah } from './buildah.mjs';

const STARTS_WITHIN_MS = 60_000;
const TOKEN = 'a token of the image tests';

/** What each service needs to start, and what it must do then. */
const SERVICES = {
  node: { env: [], setUp: 'node apps/node/dist/main.js init', check: certifies },
  verifier: { env: [], check: answers('/health') },
  renderer: { env: [`RENDERER_TOKEN=${TOKEN}`], check: answers('/health') },
  bridge: {
    env: [
      'PUBLIC_URL=http://127.0.0.1:1',
      'NODE_URL=http://127.0.0.1:1',
      'CONTROL_PLANE_URL=http://127.0.0.1:1',
    ].concat('CONTROL_PLANE_TOKEN_FILE=/var/lib/cer/token'),
    setUp: `umask 077; printf '%s' '${TOKEN}' > /var/lib/cer/token`,
    check: answers('/health'),
  },
  dashboard: {
    env: ['PUBLIC_URL=http://127.0.0.1:1', 'SERVICE_TOKEN_FILE=/var/lib/cer/token'],
    setUp: `umask 077; printf '%s' '${TOKEN}' > /var/lib/cer/token`,
    check: answers('/ready'),
  },
  witness: {
    env: [],
    setUp: 'node apps/witness/dist/main.js init --name witness.example/image --db /var/lib/cer/witness.sqlite',
    check: answers('/health'),
  },
};

const missing = hasBuildah();
if (missing !== undefined) {
  console.error(`test:images: ${missing}`);
  process.exit(1);
}
let failed = 0;
let passed = 0;
for (const [name, service] of Object.entries(SERVICES)) {
  const image = `localhost/execution-certification-${name}`;
  if ((await buildah(['images', '--quiet', '--filter', `reference=${image}`])).trim() === '') {
    console.log(`${name}: not built. Run: npm run images -- ${name}`);
    failed += 1;
    continue;
  }
  try {
    console.log(`${name}: ${await tryImage(image, service)}`);
    passed += 1;
  } catch (error) {
    console.log(`${name}: FAILED: ${error instanceof Error ? error.message : String(error)}`);
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function tryImage(image, { env, setUp, check }) {
  const container = (await buildah(['from', '--pull-never', image])).trim();
  try {
    const port = await freePort();
    const inside = (command) => [
      ...['run', '--isolation', 'chroot'],
      ...[`PORT=${port}`, 'HOST=127.0.0.1', ...env].flatMap((variable) => ['--env', variable]),
      ...[container, '--', 'sh', '-c', command],
    ];
    if (setUp !== undefined) await buildah(inside(setUp));
    const [{ OCIv1 }] = [JSON.parse(await buildah(['inspect', container]))];
    const { User: user, Entrypoint: entrypoint, Cmd: command } = OCIv1.config;
    if (!/^[1-9]\d*(:[1-9]\d*)?$/.test(user ?? '')) throw new Error(`the user is ${user}`);
    const start = [...entrypoint, ...(command ?? []).filter((word) => word !== 'node')].join(' ');
    const child = spawn('buildah', buildahArguments(inside(`exec ${start}`)), { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-4000)));
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      const url = `http://127.0.0.1:${port}`;
      await Promise.race([untilHealthy(url), ended.then(() => Promise.reject(new Error(`it ended:\n${output}`)))]);
      return await check({ url, command: (text) => buildah(inside(text)) });
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  } finally {
    await buildah(['rm', container]);
  }
}

async function untilHealthy(url) {
  const until = Date.now() + STARTS_WITHIN_MS;
  while (Date.now() < until) {
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(200);
  }
  throw new Error(`not healthy within ${STARTS_WITHIN_MS / 1000} s`);
}

function answers(path) {
  return async ({ url }) => {
    const { status } = await fetch(`${url}${path}`);
    if (status !== 200) throw new Error(`${path} is ${status}`);
    return `${path} is 200`;
  };
}

async function certifies({ url, command }) {
  const key = (await command('node apps/node/dist/main.js api-key create --tenant image')).trim().split('\n').at(-1);
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path} is ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const execution = {
    executionId: 'image-1',
    provider: 'example',
    model: 'none',
    input: 'in',
    output: 'out',
    parameters: {},
  };
  const { cer, certificateHash } = await post('/v1/cer/ai/certify', execution);
  const { status } = await post('/v1/cer/verify', { bundle: cer });
  if (status !== 'verified') throw new Error(`the certificate is ${status}`);
  return `certified and verified ${certificateHash}`;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
  });
}
