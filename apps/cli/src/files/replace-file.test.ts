import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UsageError } from '../usage-error.js';
import type { Io } from '../io.js';
import { writeNewFile } from './new-file.js';
import { replaceFile } from './replace-file.js';
import { asWriteError } from './write-error.js';

const IO = { randomId: () => 'id', onInterrupt: () => () => undefined };

describe('files of the command', () => {
  let folder = '';
  /** What is in the folder after an interrupt while the content is brought to the disk. */
  async function leftBy(write: (io: Pick<Io, 'randomId' | 'onInterrupt'>) => Promise<void>): Promise<string[]> {
    let undo = (): void => undefined;
    const left: string[] = [];
    const handle = await open(folder);
    jest.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync').mockImplementation(async () => {
      undo();
      left.push(...readdirSync(folder));
      return Promise.resolve();
    });
    await handle.close();
    const onInterrupt: Io['onInterrupt'] = (given) => {
      undo = given;
      return () => undefined;
    };
    await write({ ...IO, onInterrupt }).catch(() => undefined);
    return left;
  }

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

  it('leaves no part of a file when it is interrupted', async () => {
    expect(await leftBy((io) => replaceFile(join(folder, 'state.json'), 'new', io))).toEqual([]);
    expect(await leftBy((io) => writeNewFile(join(folder, 'new.json'), 'new', { option: '--out' }, io))).toEqual([]);
  });

  it('names what keeps a file from being written', async () => {
    const missing = join(folder, 'missing', 'new.json');
    await expect(writeNewFile(missing, 'new', { option: '--out' }, IO)).rejects.toThrow(/missing does not exist$/);
    const file = join(folder, 'file');
    await replaceFile(file, 'old', IO);
    for (const below of [join(file, 'new.json'), join(file, 'folder', 'new.json')]) {
      await expect(writeNewFile(below, 'new', { option: '--out' }, IO)).rejects.toThrow(/is a file, not a folder$/);
      await expect(replaceFile(below, 'new', IO)).rejects.toThrow(/is a file, not a folder$/);
    }
    for (const code of ['EACCES', 'EPERM', 'EROFS']) {
      const fault = asWriteError(Object.assign(new Error('refused'), { code }), file);
      expect(fault).toEqual(new UsageError(`${file}: may not be written by this user, or its disk is read-only`));
    }
  });

  it('leaves no draft where the file cannot be replaced', async () => {
    mkdirSync(join(folder, 'state.json'));
    await expect(replaceFile(join(folder, 'state.json'), 'new', IO)).rejects.toBeInstanceOf(UsageError);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });
});
