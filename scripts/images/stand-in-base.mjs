// The base images of infra/docker/Dockerfile where no container registry can be reached: Debian bookworm by mmdebstrap, and
// the Node.js and npm of the npm registry on it, with the user and working tools of the official image.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildah, run } from './buildah.mjs';

const NODE_MAJOR = '22';
const CA_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** @param {{BASE_IMAGE: string, NODE_IMAGE: string, npmVersion: string}} options the names of the images */
export async function makeStandInBases({ BASE_IMAGE, NODE_IMAGE, npmVersion }) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-base-'));
  try {
    await makeDebian(join(folder, 'debian'), BASE_IMAGE);
    await makeNode(folder, { base: BASE_IMAGE, name: NODE_IMAGE, npmVersion });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeDebian(root, name) {
  // Without documents, as the official image.
  const omitted = ['man', 'doc', 'info', 'locale'].map((what) => `--dpkgopt=path-exclude=/usr/share/${what}/*`);
  await run('mmdebstrap', ['--variant=minbase', ...omitted, '--include=ca-certificates', 'bookworm', root]);
  // With the certificates of this machine, whose network may have its own authority.
  if (existsSync(CA_BUNDLE)) copyFileSync(CA_BUNDLE, join(root, CA_BUNDLE));
  const container = (await buildah(['from', 'scratch'])).trim();
  await buildah(['add', '--quiet', container, root, '/']);
  await buildah(['config', '--env', `PATH=${PATH}`, '--cmd', 'bash', container]);
  await buildah(['commit', '--quiet', '--rm', container, name]);
}

async function makeNode(folder, { base, name, npmVersion }) {
  const place = join(folder, 'node');
  const npmFolder = join(place, 'lib/node_modules/npm');
  mkdirSync(npmFolder, { recursive: true });
  await unpack(folder, `node-linux-${process.arch}@${NODE_MAJOR}`, place, [
    'package/bin',
    'package/include',
    'package/LICENSE',
  ]);
  await unpack(folder, `npm@${npmVersion}`, npmFolder, []);
  const container = (await buildah(['from', '--pull-never', base])).trim();
  await buildah(['add', '--quiet', container, place, '/usr/local']);
  const inside = ['run', '--isolation', 'chroot', container, '--', 'sh', '-ec'];
  await buildah([
    ...inside,
    `ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
     ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
     chmod +x /usr/local/lib/node_modules/npm/bin/*.js
     groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node`,
  ]);
  // The headers are here already: node-gyp would download them.
  const env = ['--env', `NODE_EXTRA_CA_CERTS=${CA_BUNDLE}`, '--env', 'npm_config_nodedir=/usr/local'];
  await buildah(['config', ...env, '--cmd', 'node', container]);
  await buildah(['commit', '--quiet', '--rm', container, name]);
}

/** Unpacks files of a package of the npm registry, all where none is named. */
async function unpack(folder, spec, place, files) {
  // npm prints a list, and from version 12 an object by names.
  const [{ filename }] = Object.values(
    JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder, spec])),
  );
  await run('tar', ['-xzf', join(folder, filename), '-C', place, '--strip-components=1', ...files]);
}
