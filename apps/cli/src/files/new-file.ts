import { open, rm } from 'node:fs/promises';
import { UsageError } from '../usage-error.js';
import { faultCode } from './fault-code.js';
import { asUsageError, nameOf } from './read-bytes.js';

export interface NewFile {
  /** The option that named the path, for the message. */
  readonly option: string;
  /** Advice to add when the file exists. */
  readonly why?: string;
  /** Permissions; as the system gives them when left out. */
  readonly mode?: number;
}

/**
 * Writes a file that is not there yet, whole and on the disk, or not at all. It never replaces one.
 * @throws UsageError when the file exists or cannot be written
 */
export async function writeNewFile(
  path: string,
  content: string | Uint8Array,
  { option, why, mode }: NewFile,
): Promise<void> {
  try {
    const file = await open(path, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (faultCode(error) === 'EEXIST')
      throw new UsageError(`${option}: ${nameOf(path)} exists already${why === undefined ? '' : `, and ${why}`}`);
    throw asUsageError(error, path);
  }
}
