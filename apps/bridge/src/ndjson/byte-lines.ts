const NEWLINE = 0x0a;

/**
 * Splits a stream into lines while it arrives: one group of lines for each chunk that ends some. Empty lines (a trailing
 * newline, a keep-alive) are left out. A line over the limit is null, skipped to its end and never held whole.
 * @throws what the source throws
 */
export async function* byteLines(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<readonly (Uint8Array | null)[]> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array): void => {
    size += part.length;
    if (size > maxLineBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const finish = (group: (Uint8Array | null)[]): void => {
    const [only] = parts;
    const line = size > maxLineBytes ? null : parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    parts = [];
    size = 0;
    if (line === null || !isBlank(line)) group.push(line);
  };

  for await (const chunk of source) {
    const group: (Uint8Array | null)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      finish(group);
      start = end + 1;
    }
    take(chunk.subarray(start));
    if (group.length > 0) yield group;
  }
  const last: (Uint8Array | null)[] = [];
  finish(last);
  if (last.length > 0) yield last;
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
