import fs, { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { openFileSpool } from './spool/file-spool.js';
import { readSpoolFolder } from './spool-folder.js';

it('passes over a segment that is removed while the folder is read', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'cer-spool-folder-'));
  const spool = openFileSpool(dir, () => undefined);
  spool.put('{}');
  expect(readSpoolFolder(dir).segments).toMatchObject([{ isRunning: true, bundles: ['{}'] }]);
  const open = jest.spyOn(fs, 'openSync').mockImplementation(() => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  });
  expect(readSpoolFolder(dir)).toEqual({ segments: [], dead: 0, oldestAt: null });
  open.mockRestore();
  await spool.close();
  rmSync(dir, { recursive: true });
});
