import { expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stageFonts } from './fonts.js';
import { sfntFromWoff, WoffError } from './woff.js';

const files = join(dirname(createRequire(__filename).resolve('@fontsource/open-sans/package.json')), 'files');

it('unwraps a font whose tables have the checksums their directory says', () => {
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

it('stages the same fonts every time, and names nothing of the system', () => {
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'fonts-')));
  const digests = folders.map((folder) => stageFonts(folder));
  expect(digests[0]?.digest).toBe(digests[1]?.digest);
  const config = readFileSync(digests[0]?.configFile ?? '', 'utf8');
  expect(config).not.toMatch(/\/usr\/share|\/etc\/fonts/);
  expect(readdirSync(join(folders[0] ?? '', '0-latin')).length).toBe(8);
  expect(createHash('sha256').update(config).digest('hex')).toMatch(/^[0-9a-f]{64}$/);
  for (const folder of folders) rmSync(folder, { recursive: true });
});
