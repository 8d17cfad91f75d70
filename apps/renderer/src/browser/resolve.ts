import { createHash } from 'node:crypto';
import { accessSync, constants, createReadStream, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/** A Chromium that can be started. */
export interface BrowserBinary {
  readonly path: string;
  readonly source: 'environment' | 'system' | 'packaged';
  /** SHA-256 of the file, 64 lower-case hex digits. */
  readonly digest: string;
  /** Folder of a packaged browser's shared libraries, where the system has none. */
  readonly libraryFolder?: string;
}

/** No usable Chromium; the message lists what was tried and what to do. */
export class BrowserNotFound extends Error {
  override readonly name = 'BrowserNotFound';
}

/** The real binaries, not the wrappers in /usr/bin: signals and the pid are then the browser's own. */
const SYSTEM_PATHS = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium'];

interface PackagedChromium {
  readonly version: string;
  readonly sha256: string;
}

/**
 * Finds the browser: `CHROMIUM_PATH`, then Debian's headless shell, then its full Chromium, then the packaged fallback
 * that `node scripts/browser.mjs` unpacks, which must have its pinned digest.
 * @throws BrowserNotFound
 */
export async function resolveBrowser(chromiumPath: string | undefined): Promise<BrowserBinary> {
  if (chromiumPath !== undefined) {
    if (!isExecutable(chromiumPath)) throw new BrowserNotFound('CHROMIUM_PATH: must name an executable file');
    return { path: chromiumPath, source: 'environment', digest: await fileDigest(chromiumPath) };
  }
  const system = SYSTEM_PATHS.find(isExecutable);
  if (system !== undefined) return { path: system, source: 'system', digest: await fileDigest(system) };

  const packaged = join(packagedFolder(), 'chromium');
  if (isExecutable(packaged)) {
    const digest = await fileDigest(packaged);
    if (digest !== packagedChromium().sha256)
      throw new BrowserNotFound(`${packaged} is not the packaged browser: remove it`);
    const libraryFolder = join(dirname(packaged), 'lib');
    return { path: packaged, source: 'packaged', digest, ...(existsSync(libraryFolder) && { libraryFolder }) };
  }
  throw new BrowserNotFound(
    `no Chromium: looked at CHROMIUM_PATH, ${SYSTEM_PATHS.join(', ')}, ${packaged}. ` +
      'Run "apt-get install chromium-headless-shell" (Debian) or "node scripts/browser.mjs", or set CHROMIUM_PATH',
  );
}

/** Where `scripts/browser.mjs` unpacks the packaged browser: never the checkout, which the jailed user cannot read. */
function packagedFolder(): string {
  const base = process.getuid?.() === 0 ? '/var/lib/cer-renderer' : join(homedir(), '.cache', 'cer-renderer');
  return join(base, `chromium-${packagedChromium().version}`);
}

function packagedChromium(): PackagedChromium {
  return JSON.parse(
    readFileSync(fileURLToPath(new URL('../../packaged-chromium.json', import.meta.url)), 'utf8'),
  ) as PackagedChromium;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** SHA-256 of a file, 64 lower-case hex digits. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}
