import { isJsonObject, member, type JsonValue } from '@cer/canonical-json';
import { formatOpenings, SALT_BYTES, type CommitmentSalts } from '@cer/cer-core/seal';
import { decodeBase64Url, KeyError } from '@cer/keys';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { writeNewFile } from './new-file.js';
import { nameOf, readBytes } from './read-bytes.js';
import { readOwnJson } from './read-json.js';

// An openings file is `{input: {salt}, output: {salt}}`: the secrets that open a certificate's commitments.

const OWNER_ONLY = 0o600;
const MAX_BYTES = 64 * 1024;

/** @throws UsageError naming `what` unless the text is a salt: base64url of 32 bytes */
export function readSalt(text: JsonValue | undefined, what: string): Uint8Array {
  const rule = `${what}: must be base64url of ${SALT_BYTES} bytes`;
  if (typeof text !== 'string') throw new UsageError(rule);
  try {
    const salt = decodeBase64Url(text);
    if (salt.length === SALT_BYTES) return salt;
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
  }
  throw new UsageError(rule);
}

/** Reads an openings file. @throws UsageError */
export async function readOpenings(path: string, stdin: Io['stdin']): Promise<CommitmentSalts> {
  const value = readOwnJson(await readBytes(path, stdin, MAX_BYTES), path);
  const saltOf = (field: 'input' | 'output'): Uint8Array => {
    const opening = isJsonObject(value) ? member(value, field) : undefined;
    return readSalt(isJsonObject(opening) ? member(opening, 'salt') : undefined, `${nameOf(path)}: ${field}.salt`);
  };
  return { input: saltOf('input'), output: saltOf('output') };
}

/**
 * Writes a new openings file that only its owner can read. It never replaces one: lost salts cannot be made again.
 * @throws UsageError when the file exists or cannot be written
 */
export async function writeOpenings(path: string, salts: CommitmentSalts, io: Pick<Io, 'onInterrupt'>): Promise<void> {
  const file = { option: '--openings', why: 'openings are never overwritten', mode: OWNER_ONLY };
  await writeNewFile(path, `${JSON.stringify(formatOpenings(salts), null, 2)}\n`, file, io);
}
