import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { createKeyFile, openKeyFile } from './key-file.js';
import { jwkThumbprint } from '../fingerprint.js';
import { KeyError, type KeyErrorCode } from '../key-error.js';
import { parseKeySet } from '../key-set.js';
import { publicKeyFromSpki } from '../public-key.js';
import { verifySignature } from '../verify-signature.js';

const now = new Date('2026-01-02T03:04:05.678Z');
const message = new TextEncoder().encode('receipt');
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'key-file-'));
  path = join(folder, 'keys.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface StoredKey {
  kid: string;
  privateKey: string;
  status: string;
  createdAt: string;
  notBefore: string;
  [further: string]: unknown;
}

function freshKey(members: Partial<StoredKey> = {}): StoredKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    kid: jwkThumbprint(publicKeyFromSpki(publicKey.export({ format: 'der', type: 'spki' }))),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    status: 'active',
    createdAt: now.toISOString(),
    notBefore: now.toISOString(),
    ...members,
  };
}

function store(value: unknown): void {
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 });
}

function refusalOf(act: () => unknown): KeyError {
  try {
    act();
  } catch (error) {
    if (error instanceof KeyError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('createKeyFile', () => {
  it('creates a key that signs and is published', async () => {
    const created = createKeyFile(path, { nodeId: 'node-1', now });
    const { signer, keySet, nodeId } = openKeyFile(path);
    expect(nodeId).toBe('node-1');
    expect(keySet).toEqual(created.keySet);
    expect(keySet).toMatchObject({ nodeId: 'node-1', activeKid: signer.kid });
    expect(signer.kid).toBe(jwkThumbprint(signer.publicKey));
    const entry = parseKeySet(keySet).entries.get(signer.kid);
    expect(entry).toMatchObject({
      status: 'active',
      notBefore: now.toISOString(),
      key: { usable: true, publicKey: signer.publicKey },
    });
    for (const { sign } of [
      { sign: (bytes: Uint8Array) => signer.sign(bytes) },
      { sign: (bytes: Uint8Array) => created.signer.sign(bytes) },
    ]) {
      const signature = await sign(message);
      expect(signature).toHaveLength(64);
      expect(await verifySignature(signer.publicKey, message, signature)).toBe(true);
    }
  });

  it('signs many messages concurrently', async () => {
    const { signer } = createKeyFile(path, { nodeId: 'n', now });
    const messages = Array.from({ length: 50 }, (_, at) => Uint8Array.of(at));
    const signatures = await Promise.all(messages.map((each) => signer.sign(each)));
    const verdicts = messages.map((each, at) =>
      verifySignature(signer.publicKey, each, signatures[at] ?? new Uint8Array()),
    );
    expect(await Promise.all(verdicts)).toEqual(messages.map(() => true));
  });

  it('creates one file with mode 0600 under any umask', () => {
    const umask = process.umask(0);
    try {
      createKeyFile(path, { nodeId: 'n', now });
    } finally {
      process.umask(umask);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('never overwrites an existing file', () => {
    createKeyFile(path, { nodeId: 'n', now });
    const before = readFileSync(path, 'utf8');
    expect(refusalOf(() => createKeyFile(path, { nodeId: 'n', now })).code).toBe('KEY_FILE_EXISTS');
    expect(readFileSync(path, 'utf8')).toBe(before);
    mkdirSync(join(folder, 'taken'));
    expect(refusalOf(() => createKeyFile(join(folder, 'taken'), { nodeId: 'n', now })).code).toBe('KEY_FILE_EXISTS');
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
    expect(refusalOf(() => createKeyFile(join(folder, 'dangling'), { nodeId: 'n', now })).code).toBe('KEY_FILE_EXISTS');
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['dangling', 'keys.json', 'taken']);
  });

  it('names the missing folder as the reason', () => {
    const refusal = refusalOf(() => createKeyFile(join(folder, 'missing', 'keys.json'), { nodeId: 'n', now }));
    expect(refusal.code).toBe('KEY_FILE_UNWRITABLE');
    expect(refusal.message).toContain('Its folder must exist');
  });

  it('creates no file that openKeyFile would reject', () => {
    expect(refusalOf(() => createKeyFile(path, { nodeId: '', now })).code).toBe('KEY_FILE_INVALID');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('concurrent creators', () => {
  /** The source as one module that another process can run. */
  function bundled(): string {
    const module = join(folder, 'key-file.mjs');
    const source = join(import.meta.dirname, 'key-file.ts');
    const platform = join(import.meta.dirname, '../platform/node.ts');
    const esbuild = join(import.meta.dirname, '../../../../node_modules/esbuild/bin/esbuild');
    const options = [
      '--bundle',
      '--platform=node',
      '--format=esm',
      `--alias:#platform=${platform}`,
      `--outfile=${module}`,
    ];
    execFileSync(esbuild, [source, ...options, '--log-level=error']);
    return module;
  }

  it('create one file; the others get KEY_FILE_EXISTS', async () => {
    const gate = join(folder, 'gate');
    mkdirSync(gate);
    const creator = `
      import { readdirSync, writeFileSync } from 'node:fs';
      import { createKeyFile } from ${JSON.stringify(bundled())};
      writeFileSync(${JSON.stringify(gate)} + '/' + process.pid, '');
      while (readdirSync(${JSON.stringify(gate)}).length < 4);
      try {
        console.log(createKeyFile(${JSON.stringify(path)}, { nodeId: 'n', now: new Date() }).signer.kid);
      } catch (error) {
        console.log(error.code);
      }`;
    const run = promisify(execFile);
    const creators = Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', creator]));
    const answers = (await Promise.all(creators)).map(({ stdout }) => stdout.trim());
    const { signer } = openKeyFile(path);
    expect(answers.filter((answer) => answer === 'KEY_FILE_EXISTS')).toHaveLength(3);
    expect(answers).toContain(signer.kid);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('openKeyFile', () => {
  it('publishes all keys and signs with the active one', () => {
    const retired = freshKey({ status: 'retired', retiredAt: '2026-02-01T00:00:00.000Z' });
    const revocation = {
      revokedAt: '2026-02-02T00:00:00Z',
      compromisedSince: '2026-02-01T00:00:00Z',
      revocationReason: 'keyCompromise',
    };
    const revoked = freshKey({ status: 'revoked', ...revocation });
    const active = freshKey();
    store({ nodeId: 'n', keys: [retired, revoked, active] });
    const { signer, keySet } = openKeyFile(path);
    expect(signer.kid).toBe(active.kid);
    expect(keySet.activeKid).toBe(active.kid);
    expect(keySet.keys).toMatchObject([
      { kid: retired.kid, retiredAt: retired['retiredAt'] },
      { kid: revoked.kid, ...revocation },
      { kid: active.kid },
    ]);
  });

  it('follows a symbolic link, as mounted secrets are', () => {
    store({ nodeId: 'n', keys: [freshKey()] });
    symlinkSync(path, join(folder, 'link'));
    expect(openKeyFile(join(folder, 'link')).nodeId).toBe('n');
  });

  it.each([0o640, 0o604, 0o660, 0o644, 0o610, 0o666, 0o777])(
    'rejects mode %o with the command that repairs it',
    (mode) => {
      store({ nodeId: 'n', keys: [freshKey()] });
      chmodSync(path, mode);
      const refusal = refusalOf(() => openKeyFile(path));
      expect(refusal.code).toBe('KEY_FILE_PERMISSIONS');
      expect(refusal.message).toContain(`chmod 600 ${path}`);
      chmodSync(path, 0o400);
      expect(openKeyFile(path).nodeId).toBe('n');
    },
  );

  it('reads a group-readable file of root, as orchestrators mount secrets', () => {
    store({ nodeId: 'n', keys: [freshKey()] });
    if (process.geteuid?.() !== 0) {
      process.stderr.write('not run: a file of root, which only root can make\n');
      chmodSync(path, 0o440);
      expect(refusalOf(() => openKeyFile(path)).code).toBe('KEY_FILE_PERMISSIONS');
      return;
    }
    chmodSync(folder, 0o755);
    chownSync(path, 0, 65_534);
    const readAsService = (mode: number): string => {
      chmodSync(path, mode);
      process.setegid?.(65_534);
      process.seteuid?.(65_534);
      try {
        return openKeyFile(path).nodeId;
      } finally {
        process.seteuid?.(0);
        process.setegid?.(0);
      }
    };
    expect(readAsService(0o440)).toBe('n');
    for (const mode of [0o460, 0o444]) {
      expect(refusalOf(() => readAsService(mode)).code).toBe('KEY_FILE_PERMISSIONS');
    }
  });

  it('rejects a missing file, folder and pipe at once', () => {
    const codeOf = (place: string): KeyErrorCode => refusalOf(() => openKeyFile(place)).code;
    expect(codeOf(join(folder, 'missing'))).toBe('KEY_FILE_NOT_FOUND');
    expect(codeOf(folder)).toBe('KEY_FILE_INVALID');
    execFileSync('mkfifo', ['-m', '600', join(folder, 'pipe')]);
    expect(codeOf(join(folder, 'pipe'))).toBe('KEY_FILE_INVALID');
    expect(codeOf(join(path, 'below-nothing'))).toBe('KEY_FILE_NOT_FOUND');
  });

  it('rejects a truncated file without quoting it', () => {
    createKeyFile(path, { nodeId: 'n', now });
    const whole = readFileSync(path, 'utf8');
    const secret = /"privateKey": "(.*)"/.exec(whole)?.[1] ?? '';
    expect(secret).not.toBe('');
    for (let length = whole.trimEnd().length - 1; length >= 0; length--) {
      truncateSync(path, length);
      const refusal = refusalOf(() => openKeyFile(path));
      expect(refusal.code).toBe('KEY_FILE_INVALID');
      expect(refusal.message).not.toContain(secret.slice(0, 12));
      expect(refusal.message).not.toContain(secret.slice(-12));
    }
  });

  it('rejects a file over 1 MiB', () => {
    store(' '.repeat(1024 * 1024 + 1));
    expect(refusalOf(() => openKeyFile(path)).message).toContain('must be at most 1 MiB');
  });

  const pkcs8 = (type: 'x25519' | 'ed448'): string => {
    const { privateKey } = type === 'x25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ed448');
    return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  };

  it.each<[string, () => unknown, string]>([
    ['text', () => 'no JSON', 'must hold JSON'],
    ['PEM', () => createPrivateKeyPem(), 'must hold JSON'],
    ['null', () => 'null', 'must hold a JSON object'],
    ['an array', () => [], 'must hold a JSON object'],
    [
      'a published key set',
      () => ({ nodeId: 'n', activeKid: 'a', keys: [{ kid: 'a', publicKey: 'x' }] }),
      'keys[0]: privateKey must be a string',
    ],
    ['no nodeId', () => ({ keys: [freshKey()] }), 'nodeId must be a non-empty string'],
    ['no keys', () => ({ nodeId: 'n' }), 'keys must be an array'],
    ['an empty list of keys', () => ({ nodeId: 'n', keys: [] }), 'exactly one key must be active, not 0'],
    ['a key that is not an object', () => ({ nodeId: 'n', keys: [null] }), 'keys[0]: must be an object'],
    [
      'no active key',
      () => ({ nodeId: 'n', keys: [freshKey({ status: 'retired' })] }),
      'exactly one key must be active, not 0',
    ],
    [
      'two active keys',
      () => ({ nodeId: 'n', keys: [freshKey(), freshKey()] }),
      'exactly one key must be active, not 2',
    ],
    [
      'an active key that was revoked',
      () => ({ nodeId: 'n', keys: [freshKey({ revokedAt: now.toISOString() })] }),
      'exactly one key must be active, not 0',
    ],
    [
      'an unknown status',
      () => ({ nodeId: 'n', keys: [freshKey({ status: 'live' })] }),
      'keys[0]: status: must be "active"',
    ],
    [
      'an invalid timestamp',
      () => ({ nodeId: 'n', keys: [freshKey({ notBefore: 'now' })] }),
      'keys[0]: notBefore: not a timestamp',
    ],
    [
      'the same key twice',
      () => {
        const key = freshKey();
        return { nodeId: 'n', keys: [key, { ...key, status: 'retired' }] };
      },
      'keys must not hold the same key twice',
    ],
    [
      'a kid of another key',
      () => ({ nodeId: 'n', keys: [freshKey({ kid: freshKey().kid })] }),
      'keys[0]: kid must be the RFC 7638 thumbprint',
    ],
    [
      'an X25519 key',
      () => ({ nodeId: 'n', keys: [freshKey({ privateKey: pkcs8('x25519') })] }),
      'keys[0]: privateKey must be base64 of an Ed25519',
    ],
    [
      'an Ed448 key',
      () => ({ nodeId: 'n', keys: [freshKey({ privateKey: pkcs8('ed448') })] }),
      'keys[0]: privateKey must be base64 of an Ed25519',
    ],
    [
      'white space in the key',
      () => ({ nodeId: 'n', keys: [freshKey({ privateKey: ` ${freshKey().privateKey}` })] }),
      'keys[0]: privateKey must be base64 of an Ed25519',
    ],
  ])('rejects %s, naming member and rule', (_, content, rule) => {
    store(content());
    const refusal = refusalOf(() => openKeyFile(path));
    expect(refusal.code).toBe('KEY_FILE_INVALID');
    expect(refusal.message).toContain(rule);
    expect(refusal.cause).toBeUndefined();
  });
});

function createPrivateKeyPem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

describe('the private key', () => {
  it('does not appear in JSON, inspection or enumeration', () => {
    const opened = createKeyFile(path, { nodeId: 'n', now });
    const encoded = /"privateKey": "(.*)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
    const der = Buffer.from(encoded, 'base64');
    const { d } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
    const shown = [
      JSON.stringify(opened),
      inspect(opened, { depth: Infinity, showHidden: true, getters: true }),
      inspect(opened.signer, { depth: Infinity, showHidden: true }),
      Object.getOwnPropertyNames(opened.signer).join(),
    ].join('\n');
    expect(d).toMatch(/^[\w-]{43}$/);
    for (const secret of [encoded, d ?? '', der.toString('hex').slice(-64), der.subarray(-4).join(',')]) {
      expect(shown).not.toContain(secret);
    }
  });
});
