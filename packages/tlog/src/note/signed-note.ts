import { isWellFormed } from '@cer/canonical-json';
import { decodeBase64, decodeHex, encodeBase64, encodeHex, verifySignature } from '@cer/keys';
import { malformed, TlogError } from '../tlog-error.js';
import { isKeyName, type NoteKey } from './vkey.js';

/** Largest note in UTF-8 bytes, and its largest number of signature lines: room for post-quantum cosignatures. */
export const MAX_NOTE_BYTES = 256 * 1024;
export const MAX_SIGNATURE_LINES = 64;

/** One signature line, not yet judged. */
export interface SignatureLine {
  readonly name: string;
  /** 8 lower-case hex digits. */
  readonly keyId: string;
  /** The bytes after the key id; their form depends on the type of the key. */
  readonly signature: Uint8Array;
}

/** A text and its signature lines. */
export interface SignedNote {
  /** Ends with a newline; this is what is signed. */
  readonly text: string;
  readonly lines: readonly SignatureLine[];
}

/** A line of a known key that verified. */
export interface VerifiedLine {
  readonly key: NoteKey;
  /** Of a cosignature: when the witness signed, in seconds since 1970. */
  readonly time: number | null;
}

const SIGNATURE_PREFIX = '\u2014 ';
const ED25519_BYTES = 64;
const TIME_BYTES = 8;
/** The last second of the year 9999: later times have no form in ISO 8601 with four digits for the year. */
const LAST_TIME = 253_402_300_799;

/**
 * Reads a note without judging its signatures.
 * @throws TlogError MALFORMED for control characters, a missing final newline, no signature line, or beyond the limits
 * @see https://c2sp.org/signed-note
 */
export function parseNote(note: string): SignedNote {
  if (new TextEncoder().encode(note).length > MAX_NOTE_BYTES) throw malformed('note: must have at most 256 KiB');
  // Lone surrogates are not UTF-8; control characters but the newline are excluded by the format.
  if (!isWellFormed(note) || /[^\P{Cc}\n]/u.test(note)) {
    throw malformed('note: must be UTF-8 without control characters');
  }
  const gap = note.lastIndexOf('\n\n');
  if (gap < 0 || !note.endsWith('\n')) throw malformed('note: must end with signature lines after an empty line');
  const signatures = note.slice(gap + 2, -1).split('\n');
  if (signatures.length > MAX_SIGNATURE_LINES) throw malformed('note: must have at most 64 signature lines');
  return { text: note.slice(0, gap + 1), lines: signatures.map(parseLine) };
}

function parseLine(line: string): SignatureLine {
  const [name = '', encoded = '', ...rest] = line.slice(SIGNATURE_PREFIX.length).split(' ');
  if (!line.startsWith(SIGNATURE_PREFIX) || !isKeyName(name) || rest.length > 0) {
    throw malformed('signature line: must be an em dash, a key name and a signature');
  }
  const bytes = decodeLine(encoded);
  if (bytes.length <= 4) throw malformed('signature line: must hold a key id and a signature');
  return { name, keyId: encodeHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}

function decodeLine(encoded: string): Uint8Array {
  try {
    return decodeBase64(encoded);
  } catch (cause) {
    throw malformed('signature line: the signature must be base64', cause);
  }
}

/** One signature line, newline included. */
export function formatSignatureLine(key: NoteKey, signature: Uint8Array): string {
  return `${SIGNATURE_PREFIX}${key.name} ${encodeBase64(Uint8Array.of(...decodeHex(key.id), ...signature))}\n`;
}

/** The note of a text and its finished signature lines. */
export function formatNote(text: string, lines: readonly string[]): string {
  return `${text}\n${lines.join('')}`;
}

/**
 * Judges the lines of known keys; lines of other keys are ignored.
 * @returns the lines that verified, in their order
 * @throws TlogError SIGNATURE_INVALID when a line with name and id of a known key does not verify
 */
export async function verifyLines(note: SignedNote, keys: readonly NoteKey[]): Promise<readonly VerifiedLine[]> {
  const verified: VerifiedLine[] = [];
  // Anyone can repeat a public line, and a signature takes long to verify.
  const known = new Map<string, VerifiedLine>();
  for (const line of note.lines) {
    const key = keys.find(({ name, id }) => name === line.name && id === line.keyId);
    if (key === undefined) continue;
    const text = `${line.name} ${line.keyId} ${encodeBase64(line.signature)}`;
    const found = known.get(text) ?? (await verifyLine(note.text, line, key));
    known.set(text, found);
    verified.push(found);
  }
  return verified;
}

async function verifyLine(text: string, { signature }: SignatureLine, key: NoteKey): Promise<VerifiedLine> {
  const time = key.type === 'cosignature' ? timeOf(signature) : null;
  const message = time === null ? new TextEncoder().encode(text) : cosignedMessage(text, time);
  const bytes = time === null ? signature : signature.subarray(TIME_BYTES);
  if (bytes.length !== ED25519_BYTES || !(await verifySignature(key.publicKey, message, bytes))) {
    throw new TlogError('SIGNATURE_INVALID', 'note: a signature of a known key does not verify');
  }
  return { key, time };
}

/**
 * The text that a witness signs: the header and its time before the text of the checkpoint.
 * @param time seconds since 1970
 */
export function cosignedMessage(text: string, time: number): Uint8Array {
  return new TextEncoder().encode(`cosignature/v1\ntime ${String(time)}\n${text}`);
}

/** The bytes of a cosignature line after the key id. */
export function cosignatureBytes(time: number, signature: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES + signature.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  bytes.set(signature, TIME_BYTES);
  return bytes;
}

function timeOf(signature: Uint8Array): number {
  const refusal = new TlogError('SIGNATURE_INVALID', 'note: a cosignature has no valid time');
  if (signature.length < TIME_BYTES) throw refusal;
  const view = new DataView(signature.buffer, signature.byteOffset, TIME_BYTES);
  const time = view.getBigUint64(0);
  if (time > BigInt(LAST_TIME)) throw refusal;
  return Number(time);
}
