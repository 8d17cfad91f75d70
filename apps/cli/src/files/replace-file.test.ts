import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UsageError } from '../usage-error.js';
import { replaceFile } from './replace-file.js';

const IO = { randomId: () => 'id' };

describe('replacing a file', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cer-replace-file-'));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('brings the content to the disk before it takes the name', async () => {
    const path = join(folder, 'state.json');
    const handle = await open(folder);
    const flushed: string[][] = [];
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    jest.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof handle) {
      flushed.push(readdirSync(folder));
      await this.datasync();
    });
    await handle.close();
    await replaceFile(path, 'new', IO);
    expect(flushed).toEqual([['state.json.id.tmp']]);
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['state.json'], 'new']);
  });

  it('leaves no draft where the file cannot be replaced', async () => {
    mkdirSync(join(folder, 'state.json'));
    await expect(replaceFile(join(folder, 'state.json'), 'new', IO)).rejects.toBeInstanceOf(UsageError);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });
});
