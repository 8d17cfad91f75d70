import type { JsonValue } from '@cer/canonical-json';
import { assertCrc, joined, pictureFault, pngChunk, pngChunks, type PngChunk } from './png-chunks.js';

/** The keyword of the chunk, its two zero bytes of "not compressed", and the empty language and translated keyword. */
const KEYWORD = [0x63, 0x65, 0x72, 0];
const PLAIN_HEAD = [...KEYWORD, 0, 0, 0, 0];
/** Maximum length of the certificate's JSON text, in bytes. */
const MAX_CERTIFICATE_BYTES = 16 * 1024 * 1024;

/** A PNG, taken apart into the picture and the certificate that it carries. */
export interface Picture {
  /** The file without the certificate's chunk: the bytes that `imageHash` is over. */
  readonly png: Uint8Array;
  /** JSON text as UTF-8; null when the file carries none. */
  readonly certificate: Uint8Array | null;
}

/**
 * Reads a PNG and the certificate in it. Neither the pixels nor the certificate are judged.
 * @throws CerError SCHEMA_ERROR for a file that is not a PNG, and for a chunk that breaks a rule
 * @see docs/spec.md, "Certificates in pictures"
 */
export function readPicture(png: Uint8Array): Picture {
  const [chunk, ...more] = pngChunks(png).filter(isCertificateChunk);
  if (chunk === undefined) return { png, certificate: null };
  if (more.length > 0) throw pictureFault('carries several certificates');
  if (chunk.data.length > MAX_CERTIFICATE_BYTES + PLAIN_HEAD.length) throw tooLarge();
  assertCrc(png, chunk);
  if (!startsWith(chunk.data, PLAIN_HEAD))
    throw pictureFault('carries a certificate that is compressed, or has a language or a translated keyword');
  const picture = joined([png.subarray(0, chunk.start), png.subarray(chunk.end)]);
  return { png: picture, certificate: chunk.data.subarray(PLAIN_HEAD.length) };
}

/**
 * The PNG with a certificate in it, in the last chunk before IEND.
 * @param certificate what `cer verify` takes: a bundle or a package
 * @throws CerError SCHEMA_ERROR for a file that is not a PNG or carries a certificate, and a certificate over 16 MiB
 * @see docs/spec.md, "Certificates in pictures"
 */
export function embedCertificate(png: Uint8Array, certificate: JsonValue): Uint8Array<ArrayBuffer> {
  const chunks = pngChunks(png);
  if (chunks.some(isCertificateChunk)) throw pictureFault('carries a certificate already');
  const text = new TextEncoder().encode(JSON.stringify(certificate));
  if (text.length > MAX_CERTIFICATE_BYTES) throw tooLarge();
  const end = chunks.at(-1)?.start ?? png.length;
  const chunk = pngChunk('iTXt', joined([Uint8Array.from(PLAIN_HEAD), text]));
  return joined([png.subarray(0, end), chunk, png.subarray(end)]);
}

function isCertificateChunk({ type, data }: PngChunk): boolean {
  return type === 'iTXt' && startsWith(data, KEYWORD);
}

function startsWith(data: Uint8Array, head: readonly number[]): boolean {
  return head.every((byte, at) => data[at] === byte);
}

function tooLarge(): Error {
  return pictureFault(`carries a certificate of more than ${MAX_CERTIFICATE_BYTES} bytes`);
}
