// A Docker engine for the tests of the images: the one that answers, or Debian's, started for this run only in a
// separate network and mount namespace, so that it changes nothing of the machine.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canInstallDebianPackages, installDebianPackage } from '../setup/debian-package.mjs';
import { buildah, hasBuiltImages, run } from './buildah.mjs';

const STARTS_WITHIN_MS = 60_000;
const DATA = join(import.meta.dirname, '..', '..', '.data', 'images', 'engine');
/** Names the engine's folder, in the process that has the namespaces. */
const FOLDER = 'CER_ENGINE_FOLDER';

/** @param {string[]} args @returns {Promise<string>} what docker printed */
export function docker(args) {
  return run('docker', args);
}

/** @returns {boolean} whether an engine answers */
function answers() {
  return spawnSync('docker', ['version', '--format', '{{.Server.Version}}'], { stdio: 'ignore' }).status === 0;
}

/**
 * Runs `work` with an engine. Without one this program runs again in new namespaces, where it starts one and reaches no
 * network.
 * @param {() => Promise<number>} work
 * @param {() => string | undefined} prepare installs what the work needs, and says what is missing
 * @returns {Promise<number>} the exit code
 */
export async function withEngine(work, prepare = () => undefined) {
  const folder = process.env[FOLDER];
  const hasOwn = folder === undefined && !answers();
  if (folder === undefined) {
    const missing = prepare() ?? (hasOwn ? ensurePrograms() : undefined);
    if (missing !== undefined) {
      console.error(missing);
      return 1;
    }
    if (!hasOwn) return work();
    // Short, as the path of a socket must be. Removed where none of the engine's mounts is seen.
    const made = mkdtempSync(join(tmpdir(), 'cer-engine-'));
    const again = [process.execPath, ...process.argv.slice(1)];
    const options = { stdio: 'inherit', env: { ...process.env, [FOLDER]: made } };
    const [code] = await once(spawn('unshare', ['--net', '--mount', ...again], options), 'close');
    rmSync(made, { recursive: true, force: true });
    return code ?? 1;
  }
  const stop = await startEngine(folder);
  try {
    return await work();
  } finally {
    await stop();
  }
}

/** @returns {string | undefined} why no engine can be started here */
function ensurePrograms() {
  const why = 'no Docker engine answers, and none can be started here';
  if (process.getuid?.() !== 0) return `${why}: it needs root`;
  for (const [program, name] of [
    ['dockerd', 'docker.io'],
    ['ip', 'iproute2'],
  ]) {
    if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined) continue;
    if (!canInstallDebianPackages(process.env)) return `${why}: ${program} is missing`;
    const failure = installDebianPackage(name);
    if (failure !== undefined) return `${why}: ${name}: ${failure}`;
  }
  return undefined;
}

/** @param {string} folder @returns {Promise<() => Promise<void>>} what stops it */
async function startEngine(folder) {
  await run('ip', ['link', 'set', 'lo', 'up']);
  mkdirSync(DATA, { recursive: true });
  const host = `unix://${join(folder, 'socket')}`;
  const places = ['--data-root', DATA, '--exec-root', join(folder, 'run'), '--pidfile', join(folder, 'pid')];
  const child = spawn('dockerd', ['--host', host, ...places], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2000)));
  process.env.DOCKER_HOST = host;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  };
  for (const until = Date.now() + STARTS_WITHIN_MS; !answers(); await sleep(300)) {
    if (child.exitCode === null && Date.now() < until) continue;
    await stop();
    throw new Error(`dockerd does not answer:\n${said}`);
  }
  return stop;
}

/**
 * Gives the engine the image that `npm run images` built; where there is none, the engine's own is used.
 * @param {string} name with or without a tag
 * @returns {Promise<boolean>} whether the engine has one
 */
export async function loadImage(name) {
  const known = spawnSync('docker', ['image', 'inspect', '--format', '{{.Id}}', name], { encoding: 'utf8' });
  const built = hasBuiltImages() ? await buildah(['images', '--json', '--no-trunc']) : '[]';
  const tagged = name.includes(':') ? name : `${name}:latest`;
  const image = JSON.parse(built).find(({ names }) => names?.includes(`localhost/${tagged}`));
  if (image === undefined || known.stdout.trim() === `sha256:${image.id}`) return known.status === 0;
  const folder = mkdtempSync(join(tmpdir(), 'cer-image-'));
  try {
    const archive = join(folder, 'image.tar');
    await buildah(['push', '--quiet', image.id, `docker-archive:${archive}:${tagged}`]);
    await docker(['load', '--quiet', '--input', archive]);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
