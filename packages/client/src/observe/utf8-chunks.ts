import { joinBytes } from '@cer/ndjson';

/** Decodes text with its byte order mark, which is the caller's to remove. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Decodes UTF-8 as it arrives, wherever chunks are cut, with the text of a `TextDecoder`. In Node.js a `TextDecoder` that
 * keeps a state between chunks costs several times as much as one for whole texts, so the state is kept here.
 */
export class Utf8Chunks {
  /** The start of a character whose other bytes have not arrived. */
  #rest: Uint8Array | null = null;
  #isStart = true;

  decode(chunk: Uint8Array): string {
    const bytes = this.#rest === null ? chunk : joinBytes([this.#rest, chunk]);
    const end = endOfCharacters(bytes);
    this.#rest = end === bytes.length ? null : bytes.slice(end);
    const text = utf8.decode(end === bytes.length ? bytes : bytes.subarray(0, end));
    if (!this.#isStart || text === '') return text;
    this.#isStart = false;
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  /** The text of a last character whose other bytes did not arrive; empty without one. */
  end(): string {
    const rest = this.#rest;
    this.#rest = null;
    return rest === null ? '' : utf8.decode(rest);
  }
}

/** The offset behind the last byte that no further byte can complete; at most three bytes before the end. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    // The first byte of a character states how many follow; continuation bytes are below 0xc0.
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function lengthOf(firstByte: number): number {
  if (firstByte < 0xe0) return 2;
  return firstByte < 0xf0 ? 3 : 4;
}
