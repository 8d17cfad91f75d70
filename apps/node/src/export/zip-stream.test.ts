import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from '@jest/globals';

import { zipStream, type PackageFile } from './zip-stream.js';

const FILES = 40;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The content of a file, which can be told from all others as long as anybody holds it. */
class Lines {
  readonly lines: readonly string[];

  constructor(place: number) {
    this.lines = Array.from({ length: 100 }, (_, line) => `line ${line} of file ${place}\n`);
  }
}

describe('zipStream', () => {
  it('lets go of what was in a file as soon as the file is written', async () => {
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
        // A reference that was looked at lives until its turn of the event loop is over.
        await turn();
        collectGarbage();
        heldAfter.push(made.filter((reference) => reference.deref() !== undefined).length);
      }
    };
    let bytes = 0;
    for await (const chunk of zipStream(files(), new Date('2026-01-02T03:04:05Z'))) bytes += chunk.length;
    expect(bytes).toBeGreaterThan(FILES * 100);
    expect(heldAfter).toHaveLength(FILES);
    expect(Math.max(...heldAfter)).toBeLessThan(10);
  });
});
