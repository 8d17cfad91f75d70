import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureKeysFile, readKeysFile } from './keys-file.js';
import { openSigningKeys, rotateSigningKeys } from './signing-keys.js';

const START = new Date('2030-01-01T00:00:00.000Z');
const at = (minutes: number): Date => new Date(START.getTime() + minutes * 60_000);

describe('the handoff keys', () => {
  let path: string;

  beforeEach(() => {
    path = join(mkdtempSync(join(tmpdir(), 'cer-jwks-')), 'keys', 'jwks.json');
    ensureKeysFile(path, START);
  });

  afterEach(() => {
    rmSync(dirname(dirname(path)), { recursive: true });
  });

  it('are made once, readable by the owner only', () => {
    const before = readFileSync(path, 'utf8');
    ensureKeysFile(path, at(1));
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(['jwks.json']);
  });

  it('are published before and after their use', () => {
    let now = START;
    const keys = openSigningKeys(path, () => now);
    const first = keys.signer().kid;
    const published = () => keys.keySet().keys.map(({ kid }) => kid);
    expect(published()).toEqual([first]);

    const { kid: second, signsFrom } = rotateSigningKeys(path, now, false);
    expect(signsFrom).toEqual(at(10));
    expect(published()).toEqual([first, second]);
    now = new Date(signsFrom.getTime() - 1);
    expect(keys.signer().kid).toBe(first);
    now = signsFrom;
    expect(keys.signer().kid).toBe(second);
    now = new Date(at(20).getTime() - 1);
    expect(published()).toEqual([first, second]);
    now = at(20);
    expect(published()).toEqual([second]);
    rotateSigningKeys(path, now, false);
    expect(readKeysFile(path).map(({ kid }) => kid)).not.toContain(first);
  });

  it('are replaced at once after a leak', () => {
    const keys = openSigningKeys(path, () => START);
    const { kid } = rotateSigningKeys(path, START, true);
    expect(keys.signer().kid).toBe(kid);
    expect(keys.keySet().keys.map((key) => key.kid)).toEqual([kid]);
  });

  it('are refused when readable by others or malformed', () => {
    chmodSync(path, 0o644);
    expect(() => readKeysFile(path)).toThrow('open to every user');
    for (const text of [
      '{"keys":[]}',
      '{"canary',
      '{"keys":[{"signsFrom":"2030-01-01T00:00:00Z","privateKey":{"d":"canary"}}]}',
    ]) {
      writeFileSync(path, text);
      chmodSync(path, 0o600);
      expect(() => readKeysFile(path)).toThrow(/holds no ES256 keys(?!.*canary)/);
    }
  });
});
