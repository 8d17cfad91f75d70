import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { equalSecret, readSecretFile, readTokenFile, Secret } from './secret.js';

describe('a secret', () => {
  it('is revealed by reveal only', () => {
    const secret = new Secret('hidden');
    const shown = [String(secret), JSON.stringify({ secret }), inspect({ secret }, { depth: 5, showHidden: true })];
    expect(secret.reveal()).toBe('hidden');
    expect(shown.join('')).not.toContain('hidden');
    expect(shown[0]).toBe('[secret]');
    expect(shown[1]).toBe('{"secret":"[secret]"}');
  });

  it('equals another only by its whole text', () => {
    expect(equalSecret('abc', 'abc')).toBe(true);
    expect(equalSecret('abc', 'abd')).toBe(false);
    expect(equalSecret('abc', 'abcd')).toBe(false);
    expect(equalSecret('', 'a')).toBe(false);
  });
});

describe('a secret file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'secret-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const file = (content: string, mode = 0o600): string => {
    const path = join(folder, 'key');
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };

  it.each([
    ['key\n', 'key'],
    ['key\r\n', 'key'],
    ['key\n\n', 'key\n'],
    [' key', ' key'],
  ])('loses one trailing newline: %j', (content, secret) => {
    expect(readSecretFile(file(content)).reveal()).toBe(secret);
  });

  it.each([0o604, 0o602, 0o644])('is refused with mode %o, without its content', (mode) => {
    expect(() => readSecretFile(file('hidden', mode))).toThrow(/open to every user/);
    expect(() => readSecretFile(file('hidden', mode))).not.toThrow(/hidden/);
  });

  it('may be shared with a group', () => {
    expect(readSecretFile(file('key', 0o640)).reveal()).toBe('key');
  });

  it('is refused when empty, missing, or a folder', () => {
    expect(() => readSecretFile(file('\n'))).toThrow('is empty');
    expect(() => readSecretFile(join(folder, 'none'))).toThrow('cannot be opened: it does not exist');
    expect(() => readSecretFile(join(file('key'), 'below'))).toThrow('cannot be opened: ENOTDIR');
    expect(() => readSecretFile(folder)).toThrow('is not a file');
  });

  it('names its variable where it is sent in a header, and holds nothing that a header alters', () => {
    expect(readTokenFile('TOKEN_FILE', file('key\n')).reveal()).toBe('key');
    for (const content of ['hidd\u00e9n', ' hidden', 'hidden \n', 'hidden\n\n', 'hid\tden']) {
      const path = file(content);
      expect(() => readTokenFile('TOKEN_FILE', path)).toThrow(
        `TOKEN_FILE: secret file ${path} must have printable ASCII characters only`,
      );
    }
    expect(() => readTokenFile('TOKEN_FILE', folder)).toThrow(`TOKEN_FILE: secret file ${folder} is not a file`);
  });

  it('is refused at once when it is a named pipe that nobody writes to', () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', path]);
    const read = `import('${new URL('../../dist/config.js', import.meta.url).href}').then(({ readSecretFile }) => readSecretFile(process.argv[1]))`;
    const { stderr, signal } = spawnSync(process.execPath, ['-e', read, path], {
      encoding: 'utf8',
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    expect(signal).toBeNull();
    expect(stderr).toContain('is not a file');
  });
});
