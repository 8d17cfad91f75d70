import { rmSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Io } from '../io.js';
import { faultCode } from './fault-code.js';
import { asWriteError } from './write-error.js';

/** Permission bits of a new file and of the folders above it. */
export interface Modes {
  readonly file: number;
  readonly folder: number;
}

const READABLE: Modes = { file: 0o644, folder: 0o755 };

/** Replaces the file atomically, and creates its folder. @throws UsageError when it cannot be written */
export async function replaceFile(
  path: string,
  content: Uint8Array | string,
  io: Pick<Io, 'randomId' | 'onInterrupt'>,
  modes: Modes = READABLE,
): Promise<void> {
  const draft = `${path}.${io.randomId()}.tmp`;
  const takeBack = io.onInterrupt(() => {
    rmSync(draft, { force: true });
  });
  try {
    await mkdir(dirname(path), { recursive: true, mode: modes.folder });
    // On the disk before it replaces the file: a power cut leaves one of them whole.
    await writeFile(draft, content, { mode: modes.file, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    if (faultCode(error) === null) throw error;
    throw asWriteError(error, path);
  } finally {
    takeBack();
  }
}
