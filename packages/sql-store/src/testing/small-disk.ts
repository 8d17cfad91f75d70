import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory that a test can fill. */
export interface SmallDisk {
  readonly folder: string;
  /** Uses all space that is left. */
  readonly fill: () => void;
  /** Frees what `fill` used. */
  readonly empty: () => void;
  readonly remove: () => void;
}

/** @returns null where this process may not mount: it needs root with CAP_SYS_ADMIN, on Linux */
export function smallDisk(mebibytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'cer-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(bavail * bsize), { flag: 'a' });
    },
    empty: () => {
      rmSync(filler, { force: true });
    },
    remove: () => {
      execFileSync('umount', ['--lazy', folder]);
      rmdirSync(folder);
    },
  };
}
