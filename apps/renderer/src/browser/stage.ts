import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFonts, type StagedFonts } from './fonts.js';
import type { Jail } from './jail.js';
import { isAlive } from './processes.js';

/** The folder outside the checkout that the jailed browser can read: fonts, and a home for each browser. */
export interface Stage {
  readonly fonts: StagedFonts;
  /** A fresh empty folder that only the jailed user may enter. */
  makeHome(): string;
  removeHome(home: string): void;
  remove(): void;
}

const PREFIX = 'cer-renderer-';

/** Makes the stage of this process, and removes those whose process is gone. */
export function makeStage(jail: Jail): Stage {
  removeLeftovers();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o755);
  const homes = join(folder, 'homes');
  const fonts = readableByOthers(() => {
    mkdirSync(homes, { mode: 0o755 });
    return stageFonts(join(folder, 'fonts'));
  });
  return {
    fonts,
    makeHome() {
      const home = mkdtempSync(join(homes, 'h'));
      if (process.getuid?.() === 0) chownSync(home, jail.uid, jail.uid);
      return home;
    },
    removeHome(home) {
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
    remove() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A strict umask would hide the files from the jailed user. */
function readableByOthers<T>(make: () => T): T {
  const umask = process.umask(0o022);
  try {
    return make();
  } finally {
    process.umask(umask);
  }
}

function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^cer-renderer-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's; theirs to remove.
    }
  }
}
