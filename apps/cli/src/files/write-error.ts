import { dirname } from 'node:path';
import { UsageError } from '../usage-error.js';
import { faultCode } from './fault-code.js';
import { nameOf } from './read-bytes.js';

/** A file system fault of writing `path`, as a one-line UsageError; any other error unchanged. */
export function asWriteError(error: unknown, path: string): unknown {
  const code = faultCode(error);
  if (code === null) return error;
  const folder = nameOf(dirname(path));
  if (code === 'ENOENT') return new UsageError(`${nameOf(path)}: the folder ${folder} does not exist`);
  return new UsageError(`${nameOf(path)}: ${REASONS.get(code) ?? `cannot be written (${code})`}`);
}

const PART_IS_FILE = 'a part of this path is a file, not a folder';
const NOT_WRITABLE = 'may not be written by this user, or its disk is read-only';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOTDIR', PART_IS_FILE],
  // Of mkdir, where the part is the last folder.
  ['EEXIST', PART_IS_FILE],
  ['EISDIR', 'is a directory, a file is expected'],
  ['EACCES', NOT_WRITABLE],
  ['EPERM', NOT_WRITABLE],
  ['EROFS', NOT_WRITABLE],
  ['ENAMETOOLONG', 'the name is too long'],
]);
