import { KeyError } from './key-error.js';

/**
 * Base64 of RFC 4648, with exactly one text per byte string: white space, wrong padding, the other alphabet and set
 * bits after the last byte are rejected. A lenient decoder would accept many spellings of one signature.
 */
interface Variant {
  readonly name: string;
  readonly alphabet: string;
  readonly padded: boolean;
  readonly valueOf: Int8Array;
}

function variant(name: string, lastTwo: string, padded: boolean): Variant {
  const alphabet = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${lastTwo}`;
  const valueOf = new Int8Array(128).fill(-1);
  for (let value = 0; value < 64; value++) valueOf[alphabet.charCodeAt(value)] = value;
  return { name, alphabet, padded, valueOf };
}

const BASE64 = variant('base64', '+/', true);
const BASE64URL = variant('base64url', '-_', false);

/** Maximum characters that become text at once. One at a time, each text would hold the one before it. */
const CHARACTERS_AT_ONCE = 4096;

function encode(bytes: Uint8Array, { alphabet, padded }: Variant): string {
  let text = '';
  let codes: number[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes.push(alphabet.charCodeAt(group >> 18), alphabet.charCodeAt((group >> 12) & 63));
    if (left > 1) codes.push(alphabet.charCodeAt((group >> 6) & 63));
    if (left > 2) codes.push(alphabet.charCodeAt(group & 63));
    if (codes.length >= CHARACTERS_AT_ONCE) {
      text += String.fromCharCode(...codes);
      codes = [];
    }
  }
  text += String.fromCharCode(...codes);
  return padded ? text.padEnd(Math.ceil(bytes.length / 3) * 4, '=') : text;
}

function withoutPadding(text: string, { name, padded }: Variant): string {
  if (!padded) return text;
  if (text.length % 4 !== 0) throw new KeyError('ENCODING_INVALID', `${name}: the length must be a multiple of 4`);
  if (text.endsWith('==')) return text.slice(0, -2);
  return text.endsWith('=') ? text.slice(0, -1) : text;
}

function decode(text: string, form: Variant): Uint8Array {
  const symbols = withoutPadding(text, form);
  if (symbols.length % 4 === 1) throw new KeyError('ENCODING_INVALID', `${form.name}: the length fits no byte string`);
  const bytes = new Uint8Array(Math.floor((symbols.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let filled = 0;
  for (let at = 0; at < symbols.length; at++) {
    const value = form.valueOf[symbols.charCodeAt(at)] ?? -1;
    if (value < 0) throw new KeyError('ENCODING_INVALID', `${form.name}: a character outside the alphabet`);
    bits = (bits << 6) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[filled++] = bits >> held;
      bits &= (1 << held) - 1;
    }
  }
  if (bits !== 0) throw new KeyError('ENCODING_INVALID', `${form.name}: bits set after the last byte`);
  // "AA=" would pass as two symbols and one pad: the padding must be exactly the encoder's.
  if (form.padded && text.length !== Math.ceil(bytes.length / 3) * 4) {
    throw new KeyError('ENCODING_INVALID', `${form.name}: wrong padding`);
  }
  return bytes;
}

/** Bytes to base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return encode(bytes, BASE64);
}

/**
 * Base64 to bytes; accepts only the output of {@link encodeBase64}.
 * @throws KeyError ENCODING_INVALID for any other spelling
 */
export function decodeBase64(text: string): Uint8Array {
  return decode(text, BASE64);
}

/** Bytes to base64url without padding: the form of signatures and JWK members. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encode(bytes, BASE64URL);
}

/**
 * Base64url to bytes; accepts only the output of {@link encodeBase64Url}.
 * @throws KeyError ENCODING_INVALID for any other spelling
 */
export function decodeBase64Url(text: string): Uint8Array {
  return decode(text, BASE64URL);
}
