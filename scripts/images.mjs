// `npm run images`: builds the image of each service with Debian's buildah, as root and without an engine;
// `npm run images -- node renderer` builds some. Prints the size and the digest of each.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildah, hasBuildah } from './images/buildah.mjs';
import { makeStandInBase } from './images/stand-in-base.mjs';
import { withProgress } from './setup/progress.mjs';

const BASE = 'node:22-bookworm-slim';
const STAND_IN = 'localhost/node-22-stand-in';
const SERVICES = ['node', 'renderer', 'verifier', 'bridge', 'dashboard', 'witness'];

const { positionals } = parseArgs({ allowPositionals: true });
const unknown = positionals.filter((name) => !SERVICES.includes(name));
if (unknown.length > 0) {
  console.error(`images: unknown service: ${unknown.join(', ')}. Choose from ${SERVICES.join(', ')}`);
  process.exit(2);
}
const missing = hasBuildah();
if (missing !== undefined) {
  console.error(`images: ${missing}`);
  process.exit(1);
}

const base = await ensureBase();
for (const name of positionals.length > 0 ? positionals : SERVICES) {
  const image = `localhost/execution-certification-${name}`;
  const options = [
    '--isolation',
    'chroot',
    '--layers',
    '--format',
    'docker',
    '--pull-never',
    '--build-arg',
    `NODE_IMAGE=${base}`,
  ];
  await withProgress(`image of ${name}`, console.log, () =>
    buildah(['build', ...options, '--file', 'infra/docker/Dockerfile', '--target', name, '--tag', image, '.']),
  );
  const [{ size, digest }] = JSON.parse(await buildah(['images', '--json', image]));
  console.log(`${image}  ${size}  ${digest}`);
}

/** @returns {Promise<string>} the base image: pulled, or where no registry answers, made from Debian and npm packages */
async function ensureBase() {
  for (const name of [BASE, STAND_IN]) {
    if ((await buildah(['images', '--quiet', '--filter', `reference=${name}`])).trim() !== '') return name;
  }
  try {
    await withProgress(`pulling ${BASE}`, console.log, () => buildah(['pull', '--quiet', BASE]));
    return BASE;
  } catch {
    const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    await withProgress('no container registry: making the base image from Debian and npm packages', console.log, () =>
      makeStandInBase(STAND_IN, packageManager.replace('npm@', '')),
    );
    return STAND_IN;
  }
}
