import fs, {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { makeFolderOf, makePrivateFile, replacePrivateFile } from './private-file.js';

describe('private files', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cer-private-'));
    path = join(folder, 'keys', 'file');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const modeOf = (entry: string): number => statSync(entry).mode & 0o777;

  it('are made once, for their owner alone, like their folder', () => {
    makePrivateFile(path, 'first');
    makePrivateFile(path, 'second');
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect([modeOf(path), modeOf(join(folder, 'keys'))]).toEqual([0o600, 0o700]);
    expect(readdirSync(join(folder, 'keys'))).toEqual(['file']);
  });

  it('are replaced as a whole, and become private', () => {
    makePrivateFile(path, 'first');
    chmodSync(path, 0o644);
    replacePrivateFile(path, 'second');
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(join(folder, 'keys'))).toEqual(['file']);
  });

  it.each([
    ['made', makePrivateFile, 'linkSync'],
    ['replaced', replacePrivateFile, 'renameSync'],
  ] as const)('survive a loss of power once they are %s', (_, put, place) => {
    mkdirSync(join(folder, 'keys'));
    const steps: string[] = [];
    const [flush, move] = [fs.fsyncSync, fs[place]];
    jest.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      steps.push(fs.fstatSync(descriptor).isDirectory() ? 'the folder is flushed' : 'the file is flushed');
      flush(descriptor);
    });
    jest.spyOn(fs, place).mockImplementation((from, to) => {
      steps.push('the file is placed');
      move(from, to);
    });
    put(path, 'text');
    jest.restoreAllMocks();
    expect(steps).toEqual(['the file is flushed', 'the file is placed', 'the folder is flushed']);
  });

  it('are made beside drafts of a killed process', () => {
    mkdirSync(join(folder, 'keys'));
    writeFileSync(`${path}.${process.pid}.draft`, 'half');
    makePrivateFile(path, 'first');
    replacePrivateFile(path, 'second');
    expect(readFileSync(path, 'utf8')).toBe('second');
  });

  it('say what their folder must be', () => {
    writeFileSync(join(folder, 'keys'), 'a file');
    const operator = { forOperator: true, message: expect.stringContaining(`${path}: cannot be written (E`) };
    for (const write of [makeFolderOf, makePrivateFile, replacePrivateFile]) {
      expect(() => {
        write(path, 'text');
      }).toThrow(expect.objectContaining(operator));
    }
  });

  it('leave nothing behind when placing them fails', () => {
    mkdirSync(join(path, 'a folder that is not empty'), { recursive: true });
    expect(() => {
      replacePrivateFile(path, 'text');
    }).toThrow();
    expect(readdirSync(join(folder, 'keys'))).toEqual(['file']);
  });
});
