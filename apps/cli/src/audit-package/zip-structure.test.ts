import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { rawZip } from '../testing/raw-zip.js';
import { openSoundZip } from './zip-structure.js';

const HUGE = 2n ** 62n;

interface LongEnd {
  readonly directoryAt?: bigint;
  readonly longEndAt?: bigint;
  readonly entriesHere?: bigint;
}

/** A package whose end has sizes and positions of 64 bits. */
function longZip({ directoryAt, longEndAt, entriesHere = 1n }: LongEnd): Buffer {
  const zip = rawZip([{ name: 'a', content: 'stored' }]);
  const [body, end] = [zip.subarray(0, -22), Buffer.from(zip.subarray(-22))];
  const longEnd = Buffer.alloc(56);
  longEnd.writeUInt32LE(0x06064b50, 0);
  longEnd.writeBigUInt64LE(44n, 4);
  longEnd.writeBigUInt64LE(entriesHere, 24);
  longEnd.writeBigUInt64LE(1n, 32);
  longEnd.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  longEnd.writeBigUInt64LE(directoryAt ?? BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(longEndAt ?? BigInt(body.length), 8);
  locator.writeUInt32LE(1, 16);
  end.fill(0xff, 8, 20);
  return Buffer.concat([body, longEnd, locator, end]);
}

async function expectMalformed(bytes: Uint8Array): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zip-structure-'));
  const path = join(folder, 'package.zip');
  writeFileSync(path, bytes);
  const file = await open(path);
  const opened = openSoundZip(file, { entries: 10, totalBytes: 1000 });
  await expect(opened).rejects.toMatchObject({ finding: { code: 'PACKAGE_MALFORMED' } });
  await file.close();
  rmSync(folder, { recursive: true });
}

it.each([
  ['another size of the directory', 12, 4],
  ['other entries on its disk than in all', 8, 2],
  ['a second disk', 4, 2],
])('is refused when its end states %s', async (_, at, size) => {
  const bytes = rawZip([{ name: 'a', content: 'stored' }]);
  const place = bytes.length - 22 + at;
  bytes.writeUIntLE(bytes.readUIntLE(place, size) + 1, place, size);
  await expectMalformed(bytes);
});

it.each([
  ['nowhere odd', {}, null],
  ['to a directory', { directoryAt: HUGE }, 'PACKAGE_MALFORMED'],
  ['to a second end', { longEndAt: HUGE }, 'PACKAGE_MALFORMED'],
  ['to entries on another disk', { entriesHere: 0n }, 'PACKAGE_MALFORMED'],
])('opens or refuses a long end that leads %s', async (_, places, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'zip-structure-'));
  const path = join(folder, 'package.zip');
  writeFileSync(path, longZip(places));
  const file = await open(path);
  const opened = openSoundZip(file, { entries: 10, totalBytes: 1000 });
  if (code === null) expect((await opened).entries.map(({ name }) => name)).toEqual(['a']);
  else await expect(opened).rejects.toMatchObject({ finding: { code } });
  await file.close();
  rmSync(folder, { recursive: true });
});

it.each([46, 148, 0x1400])('is refused when an entry needs version %i', async (version) => {
  const bytes = rawZip([{ name: 'a', content: 'stored' }]);
  bytes.writeUInt16LE(version, bytes.indexOf('PK\u0001\u0002', 'latin1') + 6);
  await expectMalformed(bytes);
});
