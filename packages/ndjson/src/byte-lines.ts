import { ByteParts, joinBytes } from './byte-parts.js';

const LINE_FEED = 0x0a;
/** Bytes that remain of each end of a line over the limit. */
const EDGE_BYTES = 1024;
const BLANK: ReadonlySet<number> = new Set([0x09, 0x0d, 0x20]);

const NO_EDGES: ByteLine['edges'] = [new Uint8Array(), new Uint8Array()];

/** One line of a stream. */
export interface ByteLine {
  /** Without its line feed. Null for a line over the limit, which is skipped to its end and never buffered whole. */
  readonly bytes: Uint8Array | null;
  /** The first and the last bytes of a line over the limit, up to 1 KiB each; empty for any other. */
  readonly edges: readonly [start: Uint8Array, end: Uint8Array];
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
  let parts = new ByteParts();
  let edges = NO_EDGES;
  let size = 0;
  let number = 0;
  const add = (part: Uint8Array): void => {
    size += part.length;
    parts.add(part);
    if (size <= maxLineBytes) return;
    edges = [startOf([edges[0], ...parts.parts()]), endOf([edges[1], ...parts.parts()])];
    parts = new ByteParts();
  };
  const end = (group: ByteLine[]): void => {
    number += 1;
    const bytes = size > maxLineBytes ? null : parts.joined();
    if (bytes === null || !bytes.every((byte) => BLANK.has(byte)))
      group.push({ bytes, edges, number, length: size + 1 });
    parts = new ByteParts();
    edges = NO_EDGES;
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
    const rest = chunk.subarray(start);
    // A view of a short rest would keep all of the chunk in memory.
    add(start > rest.length ? joinBytes([rest]) : rest);
    if (group.length > 0) yield group;
  }
  const last: ByteLine[] = [];
  if (size > 0) end(last);
  if (last.length > 0) yield last;
}

/** Joins only what can be in the result: all parts together are as long as a line may be. */
function startOf(parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts.map((part) => part.subarray(0, EDGE_BYTES))).slice(0, EDGE_BYTES);
}

function endOf(parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts.map((part) => part.subarray(-EDGE_BYTES))).slice(-EDGE_BYTES);
}
