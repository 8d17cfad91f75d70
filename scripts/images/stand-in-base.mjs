// The base image of infra/docker/Dockerfile where no container registry can be reached: Debian bookworm by mmdebstrap, with
// the Node.js and npm of the npm registry, and the user and working tools of the official image.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildah, run } from './buildah.mjs';

const NODE_MAJOR = '22';
const CA_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

/** @param {string} name the image's name @param {string} npmVersion */
export async function makeStandInBase(name, npmVersion) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-base-'));
  try {
    const root = join(folder, 'root');
    // With the certificates of this machine: its network may have an authority of its own.
    await run('mmdebstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root]);
    if (existsSync(CA_BUNDLE)) copyFileSync(CA_BUNDLE, join(root, CA_BUNDLE));
    const place = join(root, 'usr/local');
    const npmFolder = join(place, 'lib/node_modules/npm');
    mkdirSync(npmFolder, { recursive: true });
    await unpack(folder, `node-linux-${process.arch}@${NODE_MAJOR}`, place, ['package/bin', 'package/include']);
    await unpack(folder, `npm@${npmVersion}`, npmFolder, []);
    const container = (await buildah(['from', 'scratch'])).trim();
    await buildah(['add', '--quiet', container, root, '/']);
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Unpacks files of a package of the npm registry, all where none is named. */
async function unpack(folder, spec, place, files) {
  const [{ filename }] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder, spec]));
  await run('tar', ['-xzf', join(folder, filename), '-C', place, '--strip-components=1', ...files]);
}
