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
export function makeStage(jail: Jail, parent = tmpdir()): Stage {
  removeLeftovers(parent);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o755);
  const homes = join(folder, 'homes');
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  return {
    fonts: fontsIn(folder, homes, remove),
    makeHome() {
      const home = mkdtempSync(join(homes, 'h'));
      if (process.getuid?.() === 0) chownSync(home, jail.uid, jail.uid);
      return home;
    },
    removeHome(home) {
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
    remove,
  };
}

/** Every attempt to start makes a stage: one that failed, as on a full disk, must not leave its part behind. */
function fontsIn(folder: string, homes: string, remove: () => void): StagedFonts {
  try {
    return readableByOthers(() => {
      mkdirSync(homes, { mode: 0o755 });
      return stageFonts(join(folder, 'fonts'));
    });
  } catch (error) {
    remove();
    throw error;
  }
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

function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^cer-renderer-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // Another user's; theirs to remove.
    }
  }
}
