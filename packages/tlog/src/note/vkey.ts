import { decodeBase64, encodeBase64, encodeHex, publicKeyFromRaw, sha256, type PublicKey } from '@cer/keys';
import { malformed } from '../tlog-error.js';

/** The content that a key of a note signs: the text itself (logs), or a time and the text (witnesses). */
export type NoteKeyType = 'ed25519' | 'cosignature';

const TYPE_BYTES: Readonly<Record<NoteKeyType, number>> = { ed25519: 0x01, cosignature: 0x04 };

/** A verifier key of signed notes. */
export interface NoteKey {
  readonly name: string;
  /** First four bytes of SHA-256 over name, newline, type and key; 8 lower-case hex digits. */
  readonly id: string;
  readonly type: NoteKeyType;
  readonly publicKey: PublicKey;
}

/** @param name the key name, e.g. the origin of a log @param raw 32 bytes @throws TlogError MALFORMED, KeyError */
export function noteKeyOf(name: string, type: NoteKeyType, raw: Uint8Array): NoteKey {
  if (!isKeyName(name)) throw malformed('key name: must be non-empty, without spaces and plus');
  const typed = Uint8Array.of(TYPE_BYTES[type], ...raw);
  const id = sha256(Uint8Array.of(...new TextEncoder().encode(`${name}\n`), ...typed)).subarray(0, 4);
  return { name, id: encodeHex(id), type, publicKey: publicKeyFromRaw(raw) };
}

/**
 * Reads `<name>+<id>+<base64 of type and key>`.
 * @throws TlogError MALFORMED for another form, an unsupported type or an id of another key
 * @see https://c2sp.org/signed-note, "Verifier keys"
 */
export function parseVkey(text: string): NoteKey {
  const match = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/u.exec(text);
  const [, name = '', id = '', encoded = ''] = match ?? [];
  if (match === null) throw malformed('vkey: must be name, id and key, joined by plus');
  const [typeByte, ...raw] = decode(encoded);
  const type = (['ed25519', 'cosignature'] as const).find((known) => TYPE_BYTES[known] === typeByte);
  if (type === undefined) throw malformed('vkey: the signature type is not supported');
  const key = noteKeyFrom(name, type, Uint8Array.from(raw));
  if (key.id !== id) throw malformed('vkey: the id is not that of name and key');
  return key;
}

/** The text that {@link parseVkey} reads. */
export function formatVkey({ name, id, type, publicKey }: NoteKey): string {
  return `${name}+${id}+${encodeBase64(Uint8Array.of(TYPE_BYTES[type], ...publicKey.raw))}`;
}

function noteKeyFrom(name: string, type: NoteKeyType, raw: Uint8Array): NoteKey {
  try {
    return noteKeyOf(name, type, raw);
  } catch (cause) {
    throw malformed('vkey: the key is not a usable Ed25519 key', cause);
  }
}

function decode(text: string): Uint8Array {
  try {
    return decodeBase64(text);
  } catch (cause) {
    throw malformed('vkey: the key must be base64', cause);
  }
}

/** Non-empty, without Unicode spaces, control characters and plus. */
export function isKeyName(name: string): boolean {
  return /^[^\s+\p{Cc}\p{Zs}]+$/u.test(name);
}
