import { byteLines } from '@cer/ndjson';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { asUsageError, nameOf } from '../files/read-bytes.js';
import { unpackedChunks } from '../files/unpacked-chunks.js';
import { printable } from '../printable.js';
import { UsageError } from '../usage-error.js';
import type { BatchItem, Chunk } from './batch-settings.js';

/** Enough for a thread to be busy for some milliseconds, few enough for all cores to have work. */
const ITEMS_PER_CHUNK = 64;
const BYTES_PER_CHUNK = 1024 * 1024;

/** `-` and files with these endings hold one certificate per line. */
function holdsLines(source: string): boolean {
  return source === '-' || /\.(ndjson|jsonl)(\.gz)?$/i.test(source);
}

/** The extent of a batch: bytes of lines and, for files of one certificate, one each. Null when unknown. */
export async function measure(sources: readonly string[]): Promise<number | null> {
  let total = 0;
  for (const source of sources) {
    if (source === '-') return null;
    if (!holdsLines(source)) total += 1;
    else
      total += await stat(source).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return total;
}

/** Cuts the sources of a batch into chunks, in order, reading no further ahead than it is asked. */
export async function* chunksOf(
  sources: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Chunk> {
  let items: BatchItem[] = [];
  let bytes = 0;
  let progress = 0;
  const take = (): Chunk => {
    const chunk = { items, progress };
    items = [];
    bytes = 0;
    progress = 0;
    return chunk;
  };
  for (const source of sources) {
    for await (const { item, size, weight } of itemsOf(source, stdin, maxBytes)) {
      items.push(item);
      bytes += size;
      progress += weight;
      if (items.length >= ITEMS_PER_CHUNK || bytes >= BYTES_PER_CHUNK) yield take();
    }
  }
  if (items.length > 0) yield take();
}

interface Weighed {
  readonly item: BatchItem;
  /** Bytes held in memory. */
  readonly size: number;
  /** Its share of the progress shown. */
  readonly weight: number;
}

async function* itemsOf(source: string, stdin: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Weighed> {
  if (!holdsLines(source)) {
    yield { item: { name: printable(source), path: source }, size: 0, weight: 1 };
    return;
  }
  const stream: AsyncIterable<Uint8Array> = source === '-' ? stdin : createReadStream(source);
  try {
    for await (const lines of byteLines(unpackedChunks(stream, source), maxBytes)) {
      for (const { bytes, number, length } of lines) {
        const name = `${nameOf(source)}:${number}`;
        const item = bytes === null ? { name, fault: `${name}: is larger than ${maxBytes} bytes` } : { name, bytes };
        yield { item, size: bytes?.length ?? 0, weight: length };
      }
    }
  } catch (error) {
    const fault = asUsageError(error, source);
    if (!(fault instanceof UsageError)) throw fault;
    yield { item: { name: nameOf(source), fault: fault.message }, size: 0, weight: 0 };
  }
}
