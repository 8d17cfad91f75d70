import { readFileSync } from 'node:fs';
import { OperatorError } from '@cer/http-service/process';
import { replacePrivateFile } from '@cer/keys/private-file';
import * as z from 'zod';
import type { Mark } from '../store/index.js';

const MarkText = z.strictObject({ count: z.number().int().nonnegative(), at: z.iso.datetime() });

/** The mark file cannot be read. */
export class MarkFileError extends OperatorError {
  override readonly name = 'MarkFileError';
}

/** The mark file cannot be written. Its message says what to do. */
export class MarkWriteError extends Error {
  override readonly name = 'MarkWriteError';
}

/** The newest mark that this machine saw, outside the database. */
export interface MarkFile {
  /** @returns null before the first mark. @throws MarkFileError */
  readonly read: () => Mark | null;
  /** @throws MarkWriteError */
  readonly write: (mark: Mark) => void;
}

export function openMarkFile(path: string): MarkFile {
  return {
    read: () => {
      const text = textIn(path);
      if (text === null) return null;
      const parsed = MarkText.safeParse(jsonOrNull(text));
      if (parsed.success) return parsed.data;
      throw new MarkFileError(`${path}: is not a mark. Restore it, or remove it when the database is the newest`);
    },
    write: ({ count, at }) => {
      try {
        replacePrivateFile(path, `${JSON.stringify({ count, at })}\n`);
      } catch (cause) {
        throw new MarkWriteError(
          `${path}: cannot be written, so that a restored database would not be noticed: set RESTORE_MARK_FILE to a file in a folder that this node may write and that outlives it`,
          { cause },
        );
      }
    },
  };
}

function textIn(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
