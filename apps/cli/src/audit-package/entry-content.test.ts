import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { rawZip } from '../testing/raw-zip.js';
import { wholeEntry } from './entry-content.js';
import { PackageFindings } from './package-finding.js';
import { openSoundZip } from './zip-structure.js';

it("refuses an entry whose CRC-32 differs from the directory's", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'entry-content-'));
  const path = join(folder, 'package.zip');
  const bytes = rawZip([{ name: 'a', content: 'stored' }]);
  bytes.write('S', bytes.indexOf('stored'));
  writeFileSync(path, bytes);
  const file = await open(path);
  const { zip, entries } = await openSoundZip(file, { entries: 1, totalBytes: 100 });
  const [entry] = entries;
  if (entry === undefined) throw new Error('the package is empty');
  await expect(wholeEntry(zip, entry, 100, new PackageFindings())).rejects.toMatchObject({
    finding: { code: 'PACKAGE_MALFORMED' },
  });
  await file.close();
  rmSync(folder, { recursive: true });
});
