import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { JsonValue } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { faultCode } from './fault-code.js';
import { asUsageError } from './read-bytes.js';
import { readOwnJson } from './read-json.js';
import { replaceFile, type Modes } from './replace-file.js';

// State that this computer accepted before, one file per followed log or key history.

const OWNER_ONLY: Modes = { file: 0o600, folder: 0o700 };

/**
 * The path of a state file.
 * @param what the accepted things, in the plural, for messages
 * @param folder name of their folder
 * @param key distinguishes one from the others
 * @throws UsageError when neither XDG_STATE_HOME nor HOME is an absolute path
 */
export function stateFileOf(what: string, folder: string, key: string, env: Io['env']): string {
  const [state = '', home = ''] = [env['XDG_STATE_HOME'], env['HOME']];
  if (!isAbsolute(state) && !isAbsolute(home)) {
    throw new UsageError(`${what} need a folder: set XDG_STATE_HOME to an absolute path`);
  }
  const states = isAbsolute(state) ? state : join(home, '.local', 'state');
  return join(states, 'cer', folder, `${sha256(key).slice('sha256:'.length)}.json`);
}

/** @returns undefined when there is no such file @throws UsageError when it is there and cannot be read */
export async function readState(path: string): Promise<JsonValue | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = faultCode(error);
    // A file where a folder of the path would be is found when the state is written.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw asUsageError(error, path);
  }
  return readOwnJson(bytes, path);
}

/** Replaces the file atomically. @throws UsageError when it cannot be written */
export function writeState(
  path: string,
  state: Readonly<Record<string, unknown>>,
  io: Pick<Io, 'randomId' | 'onInterrupt'>,
): Promise<void> {
  return replaceFile(path, `${JSON.stringify(state, null, 2)}\n`, io, OWNER_ONLY);
}
