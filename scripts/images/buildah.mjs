// Runs buildah without an engine: no daemon, no namespaces of a container runtime.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { canInstallDebianPackages, installDebianPackage } from '../setup/debian-package.mjs';

const root = join(import.meta.dirname, '..', '..');

/** Images and layers are kept here, apart from those of an engine on this machine. */
const STORAGE = join(root, '.data', 'images');

/** Installs what is missing, as root on Debian. @returns {string | undefined} why images cannot be built here */
export function hasBuildah() {
  if (process.getuid?.() !== 0) return 'building without an engine needs root. Use docker build instead';
  for (const program of ['buildah', 'mmdebstrap']) {
    if (spawnSync(program, ['--version']).error === undefined) continue;
    if (!canInstallDebianPackages(process.env)) return `${program} is missing. Install it, or use docker build instead`;
    const failure = installDebianPackage(program);
    if (failure !== undefined) return `${program} cannot be installed: ${failure}`;
  }
  return undefined;
}

/** Whether `npm run images` has built something here. */
export function hasBuiltImages() {
  return existsSync(join(STORAGE, 'storage'));
}

/** @param {string[]} args @returns {Promise<string>} what buildah printed */
export function buildah(args) {
  mkdirSync(STORAGE, { recursive: true });
  return run('buildah', ['--root', join(STORAGE, 'storage'), '--runroot', join(STORAGE, 'run'), ...args]);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<string>} the standard output
 * @throws {Error} with the end of the output when the program fails
 */
export function run(program, args) {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ${args[0]}: exit ${code}\n${(output + errors).slice(-4000)}`));
    });
  });
}
