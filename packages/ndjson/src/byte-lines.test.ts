import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { byteLines } from './byte-lines.js';

const ONE_BYTE_CHUNKS = 300_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** Groups of `[number, length, text]`; the text of a line over the limit is null. */
async function groupsOf(maxLineBytes: number, ...texts: readonly string[]): Promise<unknown[]> {
  const groups: unknown[] = [];
  for await (const group of byteLines(chunksOf(...texts), maxLineBytes)) {
    groups.push(group.map(({ bytes, number, length }) => [number, length, bytes && Buffer.from(bytes).toString()]));
  }
  return groups;
}

describe('lines of a byte stream', () => {
  it('groups lines by the chunk that ends them', async () => {
    expect(await groupsOf(10, 'a\nb\nc', 'd\n', 'e')).toEqual([
      [
        [1, 2, 'a'],
        [2, 2, 'b'],
      ],
      [[3, 3, 'cd']],
      [[4, 2, 'e']],
    ]);
  });

  it('joins a line from many chunks', async () => {
    expect(await groupsOf(10, '{"a"', ':', '', '1}', '\n')).toEqual([[[1, 8, '{"a":1}']]]);
  });

  it('keeps a line of one-byte chunks in little memory', async () => {
    const heapBefore = heapBytes();
    let heapWithAll = Infinity;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < ONE_BYTE_CHUNKS; sent += 1) yield Uint8Array.of(0x61);
      heapWithAll = heapBytes();
    }
    const lengths: number[] = [];
    for await (const group of byteLines(chunks(), ONE_BYTE_CHUNKS)) {
      lengths.push(...group.map(({ bytes }) => bytes?.length ?? 0));
    }
    expect(lengths).toEqual([ONE_BYTE_CHUNKS]);
    expect(heapWithAll - heapBefore).toBeLessThan(10 * 1024 * 1024);
  });

  it('keeps no chunk for the start of its last line', async () => {
    let memory: WeakRef<ArrayBufferLike> | null = null;
    let isKept = true;
    const watched = (chunk: Uint8Array): Uint8Array => {
      memory = new WeakRef(chunk.buffer);
      return chunk;
    };
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield watched(new Uint8Array(64 * 1024).fill(0x0a).fill(0x61, -10));
      yield Uint8Array.of(0x62);
      // A new WeakRef keeps its target alive until the end of the event loop turn.
      await turn();
      collectGarbage();
      isKept = memory?.deref() !== undefined;
    }
    for await (const group of byteLines(chunks(), 100)) {
      expect(Buffer.from(group[0]?.bytes ?? []).toString()).toBe('aaaaaaaaaab');
    }
    expect(isKept).toBe(false);
  });

  it('leaves out blank lines but counts them', async () => {
    expect(await groupsOf(10, '\n \t\r\na\r\n\n', '  ')).toEqual([[[3, 3, 'a\r']]]);
  });

  it('reports a line over the limit without its bytes', async () => {
    expect(await groupsOf(3, 'abc\nab', 'cd', 'ef\n1\n', 'toolong')).toEqual([
      [[1, 4, 'abc']],
      [
        [2, 7, null],
        [3, 2, '1'],
      ],
      [[4, 8, null]],
    ]);
  });

  it('keeps both ends of a line over the limit', async () => {
    const long = Array.from({ length: 1_000 }, (_, at) => String(at)).join(',');
    const edges = async (...texts: readonly string[]): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const group of byteLines(chunksOf(...texts), 5)) {
        found.push(...group.map(({ edges: both }) => both.map((edge) => Buffer.from(edge).toString())));
      }
      return found;
    };
    const both = [long.slice(0, 1_024), long.slice(-1_024)];
    expect(await edges(`${long}\nshort\n`)).toEqual([both, ['', '']]);
    expect(await edges(...`${long}\n`.split(/(?=,)/))).toEqual([both]);
    expect(await edges('seven', '-7', '\nseven-8')).toEqual([
      ['seven-7', 'seven-7'],
      ['seven-8', 'seven-8'],
    ]);
  });

  it('ends with the error of its stream', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a\n');
      throw new Error('cut off');
    }
    const read = async (): Promise<number> => {
      let lines = 0;
      for await (const group of byteLines(broken(), 10)) lines += group.length;
      return lines;
    };
    await expect(read()).rejects.toThrow('cut off');
  });
});
