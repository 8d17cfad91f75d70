import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from '@jest/globals';

import { zipStream, type PackageFile } from './zip-stream.js';

const FILES = 40;
/** Files between two collections: one of the whole heap of a test process takes half a second. */
const COLLECT_EVERY = 8;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The content of a file, unique as long as it is referenced. */
class Lines {
  readonly lines: readonly string[];

  constructor(place: number) {
    this.lines = Array.from({ length: 100 }, (_, line) => `line ${line} of file ${place}\n`);
  }
}

describe('zipStream', () => {
  it('releases the content of a file once written', async () => {
    const made: WeakRef<Lines>[] = [];
    const heldAfter: number[] = [];
    const content = (place: number): PackageFile['content'] => {
      const held = new Lines(place);
      made.push(new WeakRef(held));
      return (async function* () {
        for (const line of held.lines) yield line;
      })();
    };
    const files = async function* (): AsyncGenerator<PackageFile> {
      for (let place = 0; place < FILES; place += 1) {
        yield { name: `files/${place}.txt`, content: content(place) };
        if (made.length % COLLECT_EVERY > 0) continue;
        // A dereferenced WeakRef keeps its target alive until the end of the event loop turn.
        await turn();
        collectGarbage();
        heldAfter.push(made.filter((reference) => reference.deref() !== undefined).length);
      }
    };
    let bytes = 0;
    for await (const chunk of zipStream(files(), new Date('2026-01-02T03:04:05Z'))) bytes += chunk.length;
    expect(bytes).toBeGreaterThan(FILES * 100);
    expect(heldAfter).toHaveLength(FILES / COLLECT_EVERY);
    expect(Math.max(...heldAfter)).toBeLessThan(10);
  });
});
