import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readPin } from './pin-file.js';

const NO_GROUP = 65_534;

describe('a PIN file', () => {
  let folder = '';
  let path = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pin-'));
    path = join(folder, 'pin');
    writeFileSync(path, '4711\n');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([0o600, 0o400])('is read with mode %o', (mode) => {
    chmodSync(path, mode);
    expect(readPin(path)).toBe('4711');
  });

  it.each([0o640, 0o620, 0o610, 0o604])('is refused with mode %o, with the command that repairs it', (mode) => {
    chmodSync(path, mode);
    expect(() => readPin(path)).toThrow(`chmod 600 ${path}`);
  });

  it('that is missing is not called unreadable', () => {
    expect(() => readPin(join(folder, 'none'))).toThrow('does not exist. Make it, or correct PKCS11_PIN_FILE');
  });

  it('of root may be read by the group, as orchestrators mount secrets', () => {
    if (process.geteuid?.() !== 0) {
      process.stderr.write('not run: a file of root, which only root can make\n');
      chmodSync(path, 0o440);
      expect(() => readPin(path)).toThrow('chmod 600');
      return;
    }
    chmodSync(folder, 0o755);
    chownSync(path, 0, NO_GROUP);
    const readAsService = (mode: number): string => {
      chmodSync(path, mode);
      process.setegid?.(NO_GROUP);
      process.seteuid?.(NO_GROUP);
      try {
        return readPin(path);
      } finally {
        process.seteuid?.(0);
        process.setegid?.(0);
      }
    };
    expect(readAsService(0o440)).toBe('4711');
    for (const mode of [0o460, 0o444]) expect(() => readAsService(mode)).toThrow('chmod 600');
  });
});
