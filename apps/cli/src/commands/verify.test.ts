import { truncateSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { cer, type Said } from '../testing/console.js';
import { Folder, readSample, sample } from '../testing/files.js';

const folder = new Folder();
afterAll(() => {
  folder.remove();
});

const KEYS = ['--keys', sample('keys.json')];

/** stderr must hold one JSON value and nothing else. */
function failureOf({ stderr }: Said): JsonObject {
  const value: unknown = JSON.parse(stderr);
  if (!isJsonObject(value)) throw new TypeError('stderr holds no JSON object');
  return value;
}

function withSnapshot(bundle: JsonObject, members: JsonObject): JsonObject {
  const snapshot = bundle['snapshot'];
  return { ...bundle, snapshot: { ...(isJsonObject(snapshot) ? snapshot : {}), ...members } };
}

describe('cer verify', () => {
  it('reports signer, time, key and key source', async () => {
    const said = await cer(['verify', sample('certified.json'), ...KEYS]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout.split('\n')[0]).toBe('VERIFIED');
    for (const shown of [
      /Node +sample-node/,
      /Fingerprint +sha256:[0-9a-f]{64}/,
      /Keys from file \S*keys\.json, last changed \d{4}-/,
      /Signed +2026-01-02T12:00:00.000Z \(the node's own clock/,
      /Created +2026-01-02T03:04:05.000Z \(stated by the producer\)/,
      /Executed +2026-01-02T03:04:05.000Z \(stated by the producer\)/,
    ]) {
      expect(said.stdout.replace(/\s+/g, ' ')).toMatch(shown);
    }
  });

  it('gives a confidential certificate a separate verdict', async () => {
    const { exitCode, stdout } = await cer(['verify', sample('confidential.json'), ...KEYS]);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')[0]).toBe('VERIFIED, CONFIDENTIAL');
  });

  it('names the flag for a file with one certificate per line', async () => {
    const line = `${JSON.stringify(readSample('certified.json'))}\n`;
    const many = folder.write('many.ndjson', line.repeat(2));
    const { exitCode, stderr } = await cer(['verify', many, ...KEYS]);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(/one certificate per line is checked with --batch\n$/),
    ]);
    expect((await cer(['verify', folder.write('one.ndjson', line), ...KEYS])).exitCode).toBe(0);
    expect((await cer(['verify', folder.write('two.json', line.repeat(2)), ...KEYS])).stderr).not.toContain('--batch');
  });

  it('never shows an unsigned certificate in green', async () => {
    const { exitCode, stdout } = await cer(['verify', sample('sealed.json'), ...KEYS], { isTerminal: true });
    expect(exitCode).toBe(0);
    const headline = stdout.split('\n', 1)[0];
    expect(headline).toContain('integrity only, signed by no node');
    expect(headline).not.toContain('\u001b[32m');
  });

  it('shows a signed one in green without NO_COLOR', async () => {
    const argv = ['verify', sample('certified.json'), ...KEYS];
    expect((await cer(argv, { isTerminal: true })).stdout).toContain('\u001b[32mVERIFIED');
    expect((await cer(argv)).stdout).not.toContain('\u001b');
    expect((await cer(argv, { isTerminal: true, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b');
  });

  it('names the member and both hashes after a change', async () => {
    const path = folder.write('tampered.json', withSnapshot(readSample('certified.json'), { model: 'example-chat-2' }));
    const said = await cer(['verify', path, ...KEYS]);
    expect(said.exitCode).toBe(1);
    expect(said.stdout).toContain('FAILED (CERTIFICATE_HASH_MISMATCH)');
    expect(failureOf(said)).toMatchObject({
      status: 'FAILED',
      reason: 'CERTIFICATE_HASH_MISMATCH',
      checks: { bundleIntegrity: 'FAIL', nodeSignature: 'PASS', receiptConsistency: 'PASS', envelope: 'FAIL' },
    });
    expect(said.stdout).toMatch(
      /certificateHash: .*\n(.*\n)?.*\n? +expected {2}sha256:74ff80.*\n +computed {2}sha256:/,
    );
    expect(said.stdout).toContain('What to do next');
  });

  it('ignores a change in an unbound member', async () => {
    const path = folder.write('unbound.json', { ...readSample('certified.json'), note: 'mine' });
    expect((await cer(['verify', path, ...KEYS])).exitCode).toBe(0);
  });

  it('does not verify a signed certificate without keys', async () => {
    const said = await cer(['verify', sample('certified.json')]);
    expect(said.exitCode).toBe(1);
    expect(said.stdout).toContain('NOT VERIFIED (VERIFICATION_MATERIAL_UNAVAILABLE)');
    expect(failureOf(said)).toMatchObject({ reason: 'VERIFICATION_MATERIAL_UNAVAILABLE' });
  });

  it('says what the saved refusal of a node is', async () => {
    const path = folder.write('refused.json', { error: 'UNAUTHORIZED', message: 'the API key is unknown or revoked' });
    const said = await cer(['verify', path, ...KEYS]);
    expect(said.exitCode).toBe(1);
    expect(said.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'A file with the members error and message is the refusal of a node: correct the request, and send it again.',
    );
  });

  it('enforces --node and --require-attestation', async () => {
    const other = await cer(['verify', sample('certified.json'), ...KEYS, '--node', 'another-node']);
    expect(failureOf(other)).toMatchObject({ reason: 'ATTESTATION_INVALID_SIGNATURE' });
    expect(other.stderr).toContain('names another node than the one that was asked for');
    const unsigned = await cer(['verify', sample('sealed.json'), '--require-attestation']);
    expect(unsigned.exitCode).toBe(1);
    expect(failureOf(unsigned)).toMatchObject({ reason: 'ATTESTATION_MISSING' });
  });

  it('writes the report as JSON with the signer', async () => {
    const { stdout } = await cer(['verify', '-', '--json', ...KEYS], {
      stdin: JSON.stringify(readSample('certified.json')),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'VERIFIED',
      reasonCodes: [],
      verifier: '@cer/cli/0.1.0',
      verifiedAt: '2026-03-01T00:00:00.000Z',
      signed: { nodeId: 'sample-node', keyStatus: 'active' },
      keySet: { nodeId: 'sample-node', from: sample('keys.json') },
    });
  });

  it('reads a saved package like a bundle', async () => {
    const path = folder.write('package.json', { cer: readSample('certified.json') });
    expect((await cer(['verify', path, ...KEYS])).exitCode).toBe(0);
  });

  it.each(['verify', 'verify-project'])('%s shows the verified title, not an outer one', async (command) => {
    const wrapped = folder.write('titled.json', { projectTitle: 'Not the title', bundle: readSample('project.json') });
    const { exitCode, stdout } = await cer([command, wrapped, ...KEYS]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Sample project');
    expect(stdout).not.toContain('Not the title');
  });

  it('refuses a project around another one', async () => {
    const project = readSample('project.json');
    const both = folder.write('both.json', { ...project, projectTitle: 'Not the title', bundle: project });
    for (const command of ['verify', 'verify-project']) {
      expect((await cer([command, both, ...KEYS])).exitCode).toBe(1);
    }
  });

  it('gives a project bundle the project report', async () => {
    const said = await cer(['verify', sample('project.json'), ...KEYS]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout).toContain('2 registered, 2 verified, 2 signed by a node');
    expect(said.stdout).toMatch(/Fingerprint +sha256:/);
  });

  it('requires a receipt of a project and of its steps', async () => {
    const project = readSample('project.json');
    const unsigned = folder.write('unsigned-project.json', { ...project, meta: {} });
    const required = await cer(['verify-project', unsigned, ...KEYS, '--require-attestation']);
    expect(required.exitCode).toBe(1);
    expect(failureOf(required)).toMatchObject({ reason: 'ATTESTATION_MISSING' });
    expect((await cer(['verify-project', sample('project.json'), ...KEYS, '--require-attestation'])).exitCode).toBe(0);
  });

  it('shows no incomplete project in green', async () => {
    const project = readSample('project.json');
    const registry: unknown = project['stepRegistry'];
    const steps = Array.isArray(registry) ? registry.filter(isJsonObject).map((entry) => entry['stepId'] ?? null) : [];
    const path = folder.write('withdrawn.json', { ...project, embeddedBundles: {}, withdrawn: steps });
    const { exitCode, stdout } = await cer(['verify-project', path, ...KEYS], { isTerminal: true });
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')[0]).toContain('the registration only, not every step');
    expect(stdout.split('\n')[0]).not.toContain('\u001b[32m');
  });

  it('escapes terminal commands in certificates and key sets', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\u2028\r\n';
    const bundle = withSnapshot(readSample('sealed.json'), {
      model: evil,
      [evil]: 1,
      protocolVersion: evil,
    });
    const path = folder.write('evil.json', { ...bundle, bundleType: 'cer.ai.execution.v1', createdAt: evil });
    const keys = folder.write('evil-keys.json', { ...readSample('keys.json'), nodeId: evil });
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = await cer(['verify', path, '--keys', keys, ...flags]);
      expect(stdout + stderr).toMatch(/\\u\{?0{0,2}1b/);
      expect(stdout + stderr).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
    }
  });
});

describe('files that other programs saved', () => {
  const text = JSON.stringify(readSample('certified.json'), null, 2);

  it.each<[string, Uint8Array]>([
    ['with CRLF', Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['with gzip', gzipSync(text)],
    ['with gzip in two members', Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
    ['with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['with a byte order mark and CRLF, in gzip', gzipSync(`\ufeff${text.replaceAll('\n', '\r\n')}`)],
  ])('verify %s', async (_, bytes) => {
    expect((await cer(['verify', folder.write('saved.json', bytes), ...KEYS])).exitCode).toBe(0);
  });

  it.each<[string, Uint8Array]>([
    ['UTF-16 text', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['a gzip file that is damaged', gzipSync(text).subarray(0, 40)],
    ['a gzip file that is damaged', Buffer.concat([gzipSync(text), Buffer.from('other')])],
    ['a gzip file that has other bytes behind its end', Buffer.concat([gzipSync(text), Buffer.from('\0other')])],
    ['a gzip file that has other bytes behind its end', Buffer.concat([gzipSync(text), Buffer.alloc(3)])],
    ['compressed with gzip', gzipSync(gzipSync(text))],
    ['compressed with xz', Buffer.from('fd377a585a000004e6d6b446', 'hex')],
    ['compressed with bzip2', Buffer.from('BZh91AY&SY')],
    ['compressed with Zstandard', Buffer.from('28b52ffd240061', 'hex')],
  ])('name %s', async (what, bytes) => {
    const { exitCode, stderr } = await cer(['verify', folder.write('saved.json', bytes), ...KEYS]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`is ${what}`);
  });

  it('unpack to no more than --max-bytes', async () => {
    const packed = folder.write('packed.json', gzipSync(text));
    const limit = Buffer.byteLength(text);
    const verify = (maxBytes: number): ReturnType<typeof cer> =>
      cer(['verify', packed, ...KEYS, '--max-bytes', `${maxBytes}`]);
    expect((await verify(limit)).exitCode).toBe(0);
    const { exitCode, stderr } = await verify(limit - 1);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`unpacks to over ${limit - 1} bytes (--max-bytes N raises the limit)`);
  });
});

/** Where jq is not installed, the reason is printed, and its test has nothing to run. */
function jq(...args: readonly string[]): Buffer | null {
  try {
    return execFileSync('jq', args);
  } catch (error) {
    if (!isMissing(error)) throw error;
    process.stderr.write('jq is not installed: what it saves is not verified here\n');
    return null;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

describe('what jq saved', () => {
  it.each([
    ['indented', ['.']],
    ['on one line', ['-c', '.']],
    ['with sorted members', ['-S', '.']],
    ['in ASCII', ['-a', '.']],
    ['with tabs', ['--tab', '.']],
    ['of a package', ['{cer: .}']],
  ])('verifies %s', async (_, args) => {
    for (const name of ['certified.json', 'certified-messages.json', 'confidential.json']) {
      const saved = jq(...args, sample(name));
      if (saved === null) return;
      const { exitCode, stdout } = await cer(['verify', folder.write('jq.json', saved), ...KEYS]);
      expect([name, exitCode, stdout]).toEqual([name, 0, expect.stringContaining('VERIFIED')]);
    }
  });
});

describe('what cer verify cannot read', () => {
  it.each([
    ['a missing file', [folder.file('none.json')], 'no such file'],
    ['a directory', [folder.path], 'is a directory'],
    ['broken JSON', [folder.write('broken.json', '{"a": ')], 'is not valid JSON'],
    ['an empty file', [folder.write('empty.json', '')], 'empty.json: is empty'],
    ['an address', ['http://127.0.0.1:4200/c/sha256:0'], 'is an address, a file is expected'],
    ['an address of keys without http', [sample('certified.json'), '--keys', '127.0.0.1:4100'], 'begins with http://'],
    ['a file over the limit', [sample('certified.json'), '--max-bytes', '100'], 'larger than 100 bytes'],
    [
      'an unknown flag',
      [sample('certified.json'), '--frobnicate'],
      "Unknown option '--frobnicate' (see: cer help verify)",
    ],
    ['no file at all', [], 'FILE is missing (see: cer help verify)'],
    [
      'an audit package',
      [folder.write('package.zip', 'PK\u0003\u0004')],
      'is a ZIP archive: an audit package is checked',
    ],
    ['two files', [sample('sealed.json'), sample('sealed.json')], 'exactly one FILE'],
    ['a flag without its value', [sample('certified.json'), '--keys'], '--keys'],
    ['a limit that is not a number', [sample('certified.json'), '--max-bytes', '1e9'], '--max-bytes: must be'],
    ['a missing key file', [sample('certified.json'), '--keys', folder.file('none.json')], 'no such file'],
    [
      'a key file that is none',
      [sample('certified.json'), '--keys', sample('sealed.json')],
      'Save the key set of the node',
    ],
    ['an address with a password', [sample('certified.json'), '--keys', 'https://a:b@node.example'], 'password'],
  ])('%s is one clear line and exit 3', async (_, args, line) => {
    const said = await cer(['verify', ...args]);
    expect(said).toMatchObject({ exitCode: 3, stdout: '' });
    expect(said.stderr).toMatch(/^cer: [^\n]+\n$/);
    expect(said.stderr).toContain(line);
  });

  it('refuses a file over 256 MiB unless a flag allows it', async () => {
    const path = folder.write('huge.json', '{');
    truncateSync(path, 256 * 1024 * 1024 + 1);
    const said = await cer(['verify', path]);
    expect(said).toMatchObject({ exitCode: 3, stdout: '' });
    expect(said.stderr).toMatch(/^cer: [^\n]*huge\.json: is larger than 256 MiB \(--max-bytes N raises the limit\)\n$/);
    truncateSync(path, 2048);
    expect((await cer(['verify', path, '--max-bytes', '2047'])).stderr).toContain('larger than 2047 bytes');
    expect((await cer(['verify', path, '--max-bytes', '2048'])).stderr).toContain('is not valid JSON');
  });

  it('advises no flag where the limit is fixed', async () => {
    const keys = folder.write('large-keys.json', ' '.repeat(1024 * 1024 + 1));
    const policy = folder.write('policy.txt', ' '.repeat(4 * 1024 * 1024));
    for (const flag of [`--keys=${keys}`, `--log-policy=${policy}`]) {
      const said = await cer(['verify', sample('certified.json'), flag, '--max-bytes', '9999999']);
      expect(said).toMatchObject({ exitCode: 3, stdout: '' });
      expect(said.stderr).toMatch(/^cer: [^\n]*: is larger than [0-9]+ (?:MiB|bytes)\n$/);
    }
  });

  it.each([
    ['duplicate keys', '{"bundleType": "a", "bundleType": "b"}'],
    ['ten megabytes of brackets', '['.repeat(10_000_000)],
    ['a number that would be rounded', '{"snapshot": {"seed": 9007199254740993}}'],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ])('%s: corrupted, exit 1', async (_, content) => {
    const said = await cer(['verify', folder.write('corrupt.json', content)]);
    expect(said.exitCode).toBe(1);
    expect(failureOf(said)).toMatchObject({ status: 'FAILED', code: 'SCHEMA_ERROR', reason: 'BUNDLE_CORRUPTED' });
  });

  it.each([['null'], ['[]'], ['"text"'], ['17'], ['{"__proto__": {"snapshot": {}}}'], ['{"snapshot": 1, "cer": {}}']])(
    '%s fails as a certificate',
    async (text) => {
      const said = await cer(['verify', '-', ...KEYS], { stdin: text });
      expect(said.exitCode).toBe(1);
      expect(failureOf(said)).toMatchObject({ status: 'FAILED', reason: expect.any(String) });
    },
  );
});
