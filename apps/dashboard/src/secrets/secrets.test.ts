import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSecrets } from './open-secrets.js';
import { openSecretBox, type SealedSecret, type SecretBox } from './secret-box.js';
import { addSecretsKey, ensureSecretsFile } from './secrets-file.js';

describe('stored secrets', () => {
  let folder: string;
  let path: string;
  let box: SecretBox;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cer-secrets-'));
    path = join(folder, 'keys', 'secrets');
    ensureSecretsFile(path);
    box = openSecretBox(path);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const currentId = (): string => box.keyIds()[0] ?? '';

  it('are sealed under a key in a private file', () => {
    const before = readFileSync(path, 'utf8');
    expect(before).toMatch(/^[\w-]{43}\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    ensureSecretsFile(path);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('open for their user and purpose alone', () => {
    const sealed = box.seal('authenticator', 'ada', 'a secret');
    expect(box.open('authenticator', 'ada', sealed)).toBe('a secret');
    expect(box.open('authenticator', 'bob', sealed)).toBeNull();
    expect(box.open('authenticator being added', 'ada', sealed)).toBeNull();
    expect(box.seal('authenticator', 'ada', 'a secret').sealed).not.toBe(sealed.sealed);
  });

  it('do not open with a changed or missing byte', () => {
    const { keyId, sealed } = box.seal('authenticator', 'ada', 'a secret');
    const bytes = Buffer.from(sealed, 'base64url');
    const changed = bytes.map((byte, at) => (at === 14 ? byte ^ 1 : byte));
    const tries = [changed, bytes.subarray(1), bytes.subarray(0, -1), bytes.subarray(0, 27), Buffer.alloc(0)];
    for (const one of tries) {
      const altered: SealedSecret = { keyId, sealed: Buffer.from(one).toString('base64url') };
      expect(box.open('authenticator', 'ada', altered)).toBeNull();
    }
  });

  it('open under the current and the previous key only', () => {
    const sealed = box.seal('authenticator', 'ada', 'a secret');
    addSecretsKey(path);
    expect(box.open('authenticator', 'ada', sealed)).toBe('a secret');
    expect(box.seal('authenticator', 'ada', 'a secret').keyId).not.toBe(sealed.keyId);
    addSecretsKey(path);
    expect(box.keyIds()).toHaveLength(2);
    expect(box.open('authenticator', 'ada', sealed)).toBeNull();
  });

  it.each([
    ['empty', ''],
    ['a short key', 'abc'],
    ['three keys', [1, 2, 3].map(() => 'A'.repeat(43)).join('\n')],
  ])('refuse a file that is %s, without its content', (_case, text) => {
    writeFileSync(path, text);
    expect(() => openSecretBox(path)).toThrow(/secrets? file/);
    expect(() => openSecretBox(path)).not.toThrow(/abc|AAA/);
  });

  it('refuse a file that others can read', () => {
    chmodSync(path, 0o644);
    expect(() => openSecretBox(path)).toThrow('open to every user');
  });

  it('stop a start without their key', () => {
    const sealedUnder = [currentId()];
    expect(openSecrets(undefined, [])).toBeUndefined();
    expect(openSecrets(path, sealedUnder)?.keyIds()).toEqual(sealedUnder);
    expect(() => openSecrets(undefined, sealedUnder)).toThrow('SECRETS_KEY_FILE is required');
    rmSync(path);
    expect(() => openSecrets(path, sealedUnder)).toThrow('cannot be opened');
    expect(openSecrets(path, [])?.keyIds()).toHaveLength(1);
    expect(() => openSecrets(path, sealedUnder)).toThrow('lacks a key');
  });
});
