const LINE_FEED = 0x0a;
const BLANK: ReadonlySet<number> = new Set([0x09, 0x0d, 0x20]);

/** One line of a stream. */
export interface ByteLine {
  /** Without its line feed. Null for a line over the limit, which is skipped to its end and never buffered whole. */
  readonly bytes: Uint8Array | null;
  /** Counted from 1, blank lines included. */
  readonly number: number;
  /** In bytes, with its line feed. */
  readonly length: number;
}

/**
 * Splits a stream at line feeds while it arrives: one group of lines for each chunk that ends at least one. Blank lines
 * (a trailing line feed, a keep-alive) are left out. Lines are copies: they share no memory with their chunks.
 * @param maxLineBytes the longest line, without its line feed
 * @throws what the stream throws
 */
export async function* byteLines(
  stream: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<readonly ByteLine[]> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  const add = (part: Uint8Array): void => {
    size += part.length;
    if (size > maxLineBytes) parts = [];
    else parts.push(part);
  };
  const end = (group: ByteLine[]): void => {
    number += 1;
    const bytes = size > maxLineBytes ? null : joined(parts, size);
    if (bytes === null || !bytes.every((byte) => BLANK.has(byte))) group.push({ bytes, number, length: size + 1 });
    parts = [];
    size = 0;
  };

  for await (const chunk of stream) {
    const group: ByteLine[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, at));
      end(group);
      start = at + 1;
    }
    add(chunk.subarray(start));
    if (group.length > 0) yield group;
  }
  const last: ByteLine[] = [];
  if (size > 0) end(last);
  if (last.length > 0) yield last;
}

/** Without Buffer, because the client also runs at the edge and in browsers. */
function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
