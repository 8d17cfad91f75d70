const LINE_FEED = 0x0a;
const BLANK: ReadonlySet<number> = new Set([0x09, 0x0d, 0x20]);

/** One line of a stream. */
export interface Line {
  /** Null for a line that is longer than the limit. */
  readonly bytes: Uint8Array | null;
  /** Counted from 1, blank lines included. */
  readonly number: number;
  /** In bytes, with its line feed. */
  readonly length: number;
}

/** Cuts a stream at line feeds. Skips blank lines, and lines over the limit without buffering them. */
export async function* splitLines(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let held: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    if (length > maxBytes) held = [];
    else held.push(piece);
  };
  const take = (): Line | null => {
    number += 1;
    const line = { bytes: length > maxBytes ? null : Buffer.concat(held), number, length: length + 1 };
    held = [];
    length = 0;
    return line.bytes?.every((byte) => BLANK.has(byte)) === true ? null : line;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== null) yield line;
    }
    add(chunk.subarray(start));
  }
  const last = length > 0 ? take() : null;
  if (last !== null) yield last;
}
