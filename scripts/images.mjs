// npm run images -- [SERVICE...]
// Builds the image of each service with Debian's buildah, as root and without an engine. Prints the size and the digest of
// each.
//   npm run images -- node renderer
import { readFileSync } from 'node:fs';
import { checkNames, readOptions } from './setup/options.mjs';
import { buildah, hasBuildah } from './images/buildah.mjs';
import { makeStandInBases } from './images/stand-in-base.mjs';
import { withProgress } from './setup/progress.mjs';

/** The base images of the Dockerfile, by the names of its arguments. */
const BASES = { NODE_IMAGE: 'node:22-bookworm-slim', BASE_IMAGE: 'debian:bookworm-slim' };
const STAND_INS = { NODE_IMAGE: 'localhost/node-22-stand-in', BASE_IMAGE: 'localhost/bookworm-stand-in' };
const SERVICES = ['node', 'renderer', 'verifier', 'bridge', 'dashboard', 'witness'];
/** The images of others that docker-compose.yml uses, by the target of their stand-in. */
const OTHERS = { postgres: 'postgres:17-bookworm', haproxy: 'haproxy:3.0-bookworm' };

const { positionals } = readOptions(import.meta.filename, { allowPositionals: true });
checkNames(positionals, SERVICES, 'service');
const missing = hasBuildah();
if (missing !== undefined) {
  console.error(`images: ${missing}`);
  process.exit(1);
}

const bases = await ensureBases();
for (const name of positionals.length > 0 ? positionals : SERVICES) {
  await build('infra/docker/Dockerfile', name, `execution-certification-${name}`);
}
if (bases === STAND_INS && positionals.length === 0) {
  for (const [target, name] of Object.entries(OTHERS)) await build('scripts/images/stand-in.Dockerfile', target, name);
}

async function build(file, target, name) {
  const image = `localhost/${name}`;
  const options = ['--isolation', 'chroot', '--layers', '--format', 'docker', '--pull-never'];
  await withProgress(`image of ${target}`, console.log, () =>
    buildah([
      'build',
      ...options,
      ...Object.entries(bases).flatMap(([argument, base]) => ['--build-arg', `${argument}=${base}`]),
      '--file',
      file,
      '--target',
      target,
      '--tag',
      image,
      '.',
    ]),
  );
  const [{ size, digest }] = JSON.parse(await buildah(['images', '--json', image]));
  console.log(`${image}  ${size}  ${digest}`);
}

/** @returns {Promise<typeof BASES>} pulled, or where no registry answers, made from Debian and npm packages */
async function ensureBases() {
  const isHere = async (name) => (await buildah(['images', '--quiet', '--filter', `reference=${name}`])).trim() !== '';
  for (const bases of [BASES, STAND_INS]) {
    const found = await Promise.all(Object.values(bases).map(isHere));
    if (found.every(Boolean)) return bases;
  }
  try {
    for (const name of Object.values(BASES)) {
      await withProgress(`pulling ${name}`, console.log, () => buildah(['pull', '--quiet', name]));
    }
    return BASES;
  } catch {
    const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    await withProgress('no container registry: making the base images from Debian and npm packages', console.log, () =>
      makeStandInBases({ ...STAND_INS, npmVersion: packageManager.replace('npm@', '') }),
    );
    return STAND_INS;
  }
}
