import { rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { faultCode } from './fault-code.js';
import { nameOf } from './read-bytes.js';
import { asWriteError } from './write-error.js';

export interface NewFile {
  /** The option that named the path, for the message. */
  readonly option: string;
  /** Advice to add when the file exists. */
  readonly why?: string;
  /** Permissions; as the system gives them when left out. */
  readonly mode?: number;
}

/**
 * Writes a file that is not there yet, whole and on the disk, or not at all, also when it is interrupted. It never replaces one.
 * @throws UsageError when the file exists or cannot be written
 */
export async function writeNewFile(
  path: string,
  content: string | Uint8Array,
  { option, why, mode }: NewFile,
  io: Pick<Io, 'onInterrupt'>,
): Promise<void> {
  try {
    const file = await open(path, 'wx', mode);
    const takeBack = io.onInterrupt(() => {
      rmSync(path, { force: true });
    });
    try {
      await file.writeFile(content);
      await file.sync();
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      takeBack();
      await file.close();
    }
  } catch (error) {
    if (faultCode(error) === 'EEXIST')
      throw new UsageError(`${option}: ${nameOf(path)} exists already${why === undefined ? '' : `, and ${why}`}`);
    throw asWriteError(error, path);
  }
}
