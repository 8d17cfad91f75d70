import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { addWrappingKey, createKeyVault, openKeyVault, removeKeys } from './key-vault.js';
import { createKeyFile, openKeyFile } from './testing/key-file.js';
import { KeyError } from './key-error.js';
import { verifySignature } from './verify-signature.js';

const now = new Date('2026-01-02T03:04:05.678Z');
const message = new TextEncoder().encode('receipt');
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'key-vault-'));
  path = join(folder, 'keys.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const create = (withKey = true): ReturnType<typeof createKeyVault> =>
  createKeyVault(path, { nodeId: 'node-1', now, withKey });

/** The secrets that a key file holds. */
function secretsIn(file: string): { readonly wrappingKey: string; readonly privateKeys: readonly string[] } {
  const { wrappingKey, keys } = JSON.parse(readFileSync(file, 'utf8')) as {
    wrappingKey: string;
    keys: { privateKey: string }[];
  };
  return { wrappingKey, privateKeys: keys.map(({ privateKey }) => privateKey) };
}

describe('a key vault', () => {
  it('seals a new key that the same file opens', async () => {
    const key = create().create();
    const signer = openKeyVault(path).open(key);
    expect(signer.kid).toBe(key.kid);
    expect(await verifySignature(key.publicKey, message, await signer.sign(message))).toBe(true);
  });

  it('seals the key of its file', async () => {
    const vault = create();
    const [own] = vault.keys;
    if (own === undefined) throw new Error('no key');
    const signer = vault.open({ kid: own.kid, publicKey: own.publicKey, sealed: vault.seal(own.kid) });
    expect(await signer.sign(message)).toEqual(await openKeyFile(path).signer.sign(message));
  });

  it('rejects foreign and altered sealed keys', () => {
    const vault = create();
    const [one, two] = [vault.create(), vault.create()];
    const other = createKeyVault(join(folder, 'other.json'), { nodeId: 'node-1', now, withKey: true });
    const flipped = `${one.sealed.slice(0, 30)}${one.sealed[30] === 'A' ? 'B' : 'A'}${one.sealed.slice(31)}`;
    for (const open of [
      () => other.open(one),
      () => vault.open({ ...one, sealed: two.sealed }),
      () => vault.open({ ...one, kid: two.kid }),
      () => vault.open({ ...one, publicKey: two.publicKey }),
      () => vault.open({ ...one, sealed: flipped }),
      () => vault.open({ ...one, sealed: '' }),
      () => vault.open({ ...one, sealed: 'not base64url!' }),
    ]) {
      expect(open).toThrow(KeyError);
      expect(open).toThrow(/does not open the key|belongs to another public key/);
    }
  });

  it('needs no signing key when keys are held elsewhere', () => {
    expect(create(false).keys).toEqual([]);
    expect(openKeyVault(path)).toMatchObject({ nodeId: 'node-1', hasWrappingKey: true });
  });

  it('upgrades a key file of an older release once', () => {
    const { signer } = createKeyFile(path, { nodeId: 'node-1', now });
    expect(openKeyVault(path).hasWrappingKey).toBe(false);
    expect(() => openKeyVault(path).create()).toThrow(/has no wrappingKey/);
    expect(addWrappingKey(path)).toMatchObject({ hasWrappingKey: true });
    const upgraded = readFileSync(path, 'utf8');
    addWrappingKey(path);
    expect(readFileSync(path, 'utf8')).toBe(upgraded);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(openKeyFile(path).signer.kid).toBe(signer.kid);
  });

  it('removes a key and keeps the wrapping key', async () => {
    const vault = create();
    const [own] = vault.keys;
    if (own === undefined) throw new Error('no key');
    const sealed = { kid: own.kid, publicKey: own.publicKey, sealed: vault.seal(own.kid) };
    const [privateKey] = secretsIn(path).privateKeys;
    if (privateKey === undefined) throw new Error('no private key');
    expect(removeKeys(path, new Set([own.kid, 'unknown'])).keys).toEqual([]);
    expect(readFileSync(path, 'utf8')).not.toContain(privateKey);
    expect(readdirSync(folder)).toEqual(['keys.json']);
    await expect(openKeyVault(path).open(sealed).sign(message)).resolves.toHaveLength(64);
  });

  it('is locked against concurrent changes', () => {
    create();
    writeFileSync(`${path}.lock`, '');
    expect(() => removeKeys(path, new Set())).toThrow(/another process is changing it/);
    expect(existsSync(`${path}.lock`)).toBe(true);
  });

  it.each([
    ['a wrapping key that is not a string', { wrappingKey: 7, keys: [] }, /wrappingKey must be a string/],
    ['a short wrapping key', { wrappingKey: 'Y2FuYXJ5', keys: [] }, /base64 of 32 bytes/],
    ['a wrapping key that is not base64', { wrappingKey: 'canary!', keys: [] }, /base64 of 32 bytes/],
    ['neither key nor wrapping key', { keys: [] }, /one key must be active/],
  ])('is rejected with %s without quoting it', (_name, members, rule) => {
    writeFileSync(path, JSON.stringify({ nodeId: 'node-1', ...members }), { mode: 0o600 });
    expect(() => openKeyVault(path)).toThrow(rule);
    expect(() => openKeyVault(path)).not.toThrow(/canary|Y2FuYXJ5/);
  });

  it('shows no key by JSON or inspection', () => {
    const vault = create();
    const { wrappingKey, privateKeys } = secretsIn(path);
    expect(privateKeys).toHaveLength(1);
    const shown = `${JSON.stringify(vault)} ${inspect(vault, { depth: 9, showHidden: true })}`;
    for (const secret of [wrappingKey, ...privateKeys]) expect(shown).not.toContain(secret);
  });
});
