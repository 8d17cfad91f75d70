import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sfntFromWoff, WoffError } from './woff.js';

const files = join(dirname(createRequire(__filename).resolve('@fontsource/open-sans/package.json')), 'files');

it('unwraps a font whose tables match their checksums', () => {
  const font = sfntFromWoff(readFileSync(join(files, 'open-sans-latin-400-normal.woff')));
  const count = font.readUInt16BE(4);
  for (let i = 0; i < count; i++) {
    const entry = 12 + i * 16;
    const tag = font.toString('latin1', entry, entry + 4);
    const [checksum, offset, length] = [
      font.readUInt32BE(entry + 4),
      font.readUInt32BE(entry + 8),
      font.readUInt32BE(entry + 12),
    ];
    let sum = 0;
    const padded = Buffer.concat([font.subarray(offset, offset + length), Buffer.alloc(3)]);
    // The head table carries the sum of the whole file, which is left out of its own.
    if (tag === 'head') padded.writeUInt32BE(0, 8);
    for (let at = 0; at + 4 <= Math.ceil(length / 4) * 4; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
    expect([tag, sum]).toEqual([tag, checksum]);
  }
});

it('refuses anything else', () => {
  expect(() => sfntFromWoff(Buffer.from('wOF2 is another format, and so is this'))).toThrow(WoffError);
});
