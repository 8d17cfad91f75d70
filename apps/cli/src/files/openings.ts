import { isJsonObject, member, type JsonValue } from '@cer/canonical-json';
import { formatOpenings, SALT_BYTES, type CommitmentSalts, type SealedField } from '@cer/cer-core/seal';
import { decodeBase64Url, KeyError } from '@cer/keys';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { writeNewFile } from './new-file.js';
import { nameOf, RAISES_LIMIT, readBytes } from './read-bytes.js';
import { readOwnJson } from './read-json.js';

// An openings file is `{input: {salt}, output: {salt}}`: the secrets that open a certificate's commitments. One of the
// two is enough to open its field. The answer of a node to certify has the object as `openings`.

const OWNER_ONLY = 0o600;

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

/** Reads the salts of both fields from an openings file. @throws UsageError */
export async function readOpenings(path: string, stdin: Io['stdin'], maxBytes: number): Promise<CommitmentSalts> {
  const openings = await readOpeningsFile(path, stdin, maxBytes);
  return { input: saltIn(openings, 'input', path), output: saltIn(openings, 'output', path) };
}

/** Reads the salt of one field from an openings file, which need not have the other. @throws UsageError */
export async function readOpening(
  path: string,
  field: SealedField,
  stdin: Io['stdin'],
  maxBytes: number,
): Promise<Uint8Array> {
  return saltIn(await readOpeningsFile(path, stdin, maxBytes), field, path);
}

async function readOpeningsFile(path: string, stdin: Io['stdin'], maxBytes: number): Promise<JsonValue | undefined> {
  const limit = { maxBytes, advice: RAISES_LIMIT };
  const value = readOwnJson(await readBytes(path, stdin, maxBytes, RAISES_LIMIT), path, limit);
  return isJsonObject(value) ? (member(value, 'openings') ?? value) : value;
}

function saltIn(openings: JsonValue | undefined, field: SealedField, path: string): Uint8Array {
  const opening = isJsonObject(openings) ? member(openings, field) : undefined;
  return readSalt(isJsonObject(opening) ? member(opening, 'salt') : undefined, `${nameOf(path)}: ${field}.salt`);
}

/**
 * Writes a new openings file that only its owner can read. It never replaces one: lost salts cannot be made again.
 * @throws UsageError when the file exists or cannot be written
 */
export async function writeOpenings(path: string, salts: CommitmentSalts, io: Pick<Io, 'onInterrupt'>): Promise<void> {
  const file = { option: '--openings', why: 'openings are never overwritten', mode: OWNER_ONLY };
  await writeNewFile(path, `${JSON.stringify(formatOpenings(salts), null, 2)}\n`, file, io);
}
