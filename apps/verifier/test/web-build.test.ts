import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { loadWebBuild } from '../src/pages/web-build.js';
import { WEB_BUILD_FOLDER } from './verifier-under-test.js';

const folder = mkdtempSync(join(tmpdir(), 'cer-web-build-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('has no file of an earlier build in its folder', () => {
  cpSync(WEB_BUILD_FOLDER, folder, { recursive: true });
  for (const name of ['site', 'check-worker']) writeFileSync(join(folder, 'assets', `${name}-000000000000.js`), 'old');
  const [before, after] = [loadWebBuild(WEB_BUILD_FOLDER), loadWebBuild(folder)];
  expect(after.assets).toEqual(before.assets);
  expect([...after.files.keys()]).toEqual([...before.files.keys()]);
});
