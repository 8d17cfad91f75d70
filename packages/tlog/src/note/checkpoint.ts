import { decodeBase64, encodeBase64, encodeHex, sha256, type Signer } from '@cer/keys';
import { EMPTY_ROOT, equalBytes, HASH_BYTES } from '../merkle/hash.js';
import { malformed } from '../tlog-error.js';
import {
  cosignatureBytes,
  cosignedMessage,
  formatNote,
  formatSignatureLine,
  parseNote,
  type SignedNote,
} from './signed-note.js';
import type { NoteKey } from './vkey.js';

/** The head of a log. */
export interface TreeHead {
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

/** A head with the identity of its log. */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
}

/** A checkpoint as it was signed. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: SignedNote;
}

/**
 * Reads a signed checkpoint without judging its signatures. Extension lines are refused: no monitor can check them.
 * @throws TlogError MALFORMED
 * @see https://c2sp.org/tlog-checkpoint
 */
export function parseCheckpoint(text: string): SignedCheckpoint {
  const checkpoint = parseAnyCheckpoint(text);
  if (!isEmptyRootRight(checkpoint)) {
    throw malformed('checkpoint: the root of an empty log must be that of the empty tree');
  }
  return checkpoint;
}

/** Reads a signed checkpoint as {@link parseCheckpoint} does, but with any root at size 0. @throws TlogError MALFORMED */
export function parseAnyCheckpoint(text: string): SignedCheckpoint {
  const note = parseNote(text);
  const [origin = '', size = '', root = '', last, ...more] = note.text.split('\n');
  if (origin === '' || last !== '' || more.length > 0) throw malformed('checkpoint: must be origin, size and root');
  const head = { size: parseDecimal(size, 'checkpoint: the size'), root: parseHash(root, 'checkpoint: the root') };
  return { origin, ...head, note };
}

/** False for an empty log with another root than that of the empty tree. */
export function isEmptyRootRight({ size, root }: TreeHead): boolean {
  return size > 0 || equalBytes(root, EMPTY_ROOT);
}

/** The text of a checkpoint, which log and witnesses sign. */
function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${String(size)}\n${encodeBase64(root)}\n`;
}

/** A log's own checkpoint, signed under its key. @param key the verifier key of `signer` */
export async function signCheckpoint(
  checkpoint: Checkpoint,
  key: NoteKey,
  signer: Pick<Signer, 'sign'>,
): Promise<string> {
  const text = checkpointText(checkpoint);
  const signature = await signer.sign(new TextEncoder().encode(text));
  return formatNote(text, [formatSignatureLine(key, signature)]);
}

/**
 * A witness's line for the text of a checkpoint.
 * @param time seconds since 1970
 * @see https://c2sp.org/tlog-cosignature
 */
export async function cosign(text: string, time: number, key: NoteKey, signer: Pick<Signer, 'sign'>): Promise<string> {
  const signature = await signer.sign(cosignedMessage(text, time));
  return formatSignatureLine(key, cosignatureBytes(time, signature));
}

/** A size or index: ASCII decimal without leading zeros, at most 2^53-1. @throws TlogError MALFORMED */
export function parseDecimal(text: string, part: string): number {
  const value = Number(text);
  if (!/^(0|[1-9][0-9]*)$/.test(text) || !Number.isSafeInteger(value)) {
    throw malformed(`${part} must be a decimal number without leading zeros, at most 2^53-1`);
  }
  return value;
}

/** A hash in strict base64. @throws TlogError MALFORMED */
export function parseHash(text: string, part: string): Uint8Array {
  let hash: Uint8Array;
  try {
    hash = decodeBase64(text);
  } catch (cause) {
    throw malformed(`${part} must be base64`, cause);
  }
  if (hash.length !== HASH_BYTES) throw malformed(`${part} must have 32 bytes`);
  return hash;
}

/** The name of a log in paths of witnesses: SHA-256 of its origin, 64 lower-case hex digits. */
export function originHashOf(origin: string): string {
  return encodeHex(sha256(new TextEncoder().encode(origin)));
}
