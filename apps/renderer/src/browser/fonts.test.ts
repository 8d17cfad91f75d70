import { expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFonts } from './fonts.js';

it('stages the same fonts and names no system path', () => {
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'fonts-')));
  const digests = folders.map((folder) => stageFonts(folder));
  expect(digests[0]?.digest).toBe(digests[1]?.digest);
  const config = readFileSync(digests[0]?.configFile ?? '', 'utf8');
  expect(config).not.toMatch(/\/usr\/share|\/etc\/fonts/);
  expect(readdirSync(join(folders[0] ?? '', '0-latin')).length).toBe(8);
  for (const folder of folders) rmSync(folder, { recursive: true });
});
