import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Folder, readSample, sample } from '../src/testing/files.js';

// The built command, as a shell runs it. test/global-setup.mjs builds it first.

const folder = new Folder();
afterAll(() => {
  folder.remove();
});

const BIN = join(__dirname, '..', 'bin', 'cer.js');
const OFFLINE = ['--import', join(__dirname, 'no-network.mjs')];
const KEYS = ['--keys', sample('keys.json')];
const TIMESTAMPED = sample('../timestamps/timestamped.json');
const REVOKED_KEYS = ['--keys', sample('../timestamps/keys-revoked.json')];
const TSA_ROOTS = ['--tsa-roots', sample('../timestamps/tsa-roots.pem')];

function node(
  args: readonly string[],
  input = '',
  env = process.env,
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

describe('the command', () => {
  it('verifies with a key file without opening a connection', () => {
    for (const args of [
      ['verify', sample('certified.json'), ...KEYS],
      ['verify', sample('project.json'), ...KEYS],
      ['verify', '--batch', sample('certified.json'), sample('sealed.json'), ...KEYS],
      ['verify', TIMESTAMPED, ...REVOKED_KEYS, ...TSA_ROOTS],
      [
        'verify',
        '--batch',
        TIMESTAMPED,
        sample('../timestamps/timestamped-in-batch.json'),
        ...REVOKED_KEYS,
        ...TSA_ROOTS,
      ],
    ]) {
      expect(node([...OFFLINE, BIN, ...args])).toMatchObject({ status: 0, stderr: '' });
    }
  });

  it.each(['18.20.4', '20.18.3'])('names the version that it needs under Node.js %s', (version) => {
    const versions = `{value:{...process.versions,node:'${version}'}}`;
    const older = `data:text/javascript,Object.defineProperty(process,'versions',${versions})`;
    expect(node(['--import', older, BIN, 'verify', sample('certified.json'), ...KEYS])).toEqual({
      status: 3,
      stdout: '',
      stderr: `cer: Node.js ${version} is too old: install 20.19, 22.12 or 24 from https://nodejs.org\n`,
    });
  });

  it('verifies where compiled code cannot be kept', () => {
    const file = folder.write('not-a-folder', '');
    for (const env of [{ XDG_CACHE_HOME: file }, { HOME: '' }]) {
      expect(node([BIN, 'verify', sample('certified.json'), ...KEYS], '', env)).toMatchObject({
        status: 0,
        stderr: '',
      });
    }
  });

  it('blocks the network for real', () => {
    const { status, stdout } = node([
      ...OFFLINE,
      BIN,
      'verify',
      sample('certified.json'),
      '--keys',
      'http://127.0.0.1:9',
    ]);
    expect(status).toBe(1);
    expect(stdout).toContain('REFUSED_BY_TEST');
  });

  it('reads standard input and separates exit codes and streams', () => {
    const certified = readFileSync(sample('certified.json'), 'utf8');
    expect(node([BIN, 'verify', '-', ...KEYS], certified)).toMatchObject({ status: 0, stderr: '' });
    const tampered = node([BIN, 'verify', '-', ...KEYS], certified.replace('example-chat-1"', 'example-chat-2"'));
    expect(tampered.status).toBe(1);
    expect(JSON.parse(tampered.stderr)).toMatchObject({ status: 'FAILED', reason: 'CERTIFICATE_HASH_MISMATCH' });
    expect(node([BIN, 'verify', '-'], '{')).toEqual({
      status: 3,
      stdout: '',
      stderr:
        'cer: standard input: is not valid JSON: line 1, column 2: expected a member name in double quotes or "}"\n',
    });
  });

  it('verifies a long batch on worker threads, in order', () => {
    const line = JSON.stringify(readSample('certified.json'));
    const lines = Array.from({ length: 500 }, (_, at) => (at === 321 ? line.replace('chat-1"', 'chat-2"') : line));
    const path = folder.write('many.ndjson', lines.join('\n'));
    const { status, stdout, stderr } = node([BIN, 'verify', '--batch', path, '--json', ...KEYS]);
    expect(status).toBe(1);
    const results = stdout
      .trim()
      .split('\n')
      .map((text): unknown => JSON.parse(text));
    expect(results).toHaveLength(501);
    expect(results[499]).toMatchObject({ name: `${path}:500`, status: 'VERIFIED' });
    expect(results[321]).toMatchObject({ name: `${path}:322`, status: 'FAILED' });
    expect(results[500]).toEqual({
      summary: { total: 500, verified: 499, integrityOnly: 0, failed: 1, unreadable: 0 },
    });
    expect(JSON.parse(stderr)).toMatchObject({
      reason: 'CERTIFICATE_HASH_MISMATCH',
      failed: [{ name: `${path}:322` }],
    });
    expect(node([BIN, 'verify', '--batch', path, ...KEYS]).stdout).toMatch(
      /\n500 checked in [\d.]+ s, \d+ per second: 499 /,
    );
  });
});

describe('examples/certificates', () => {
  it('are what their script makes', () => {
    const script = join(__dirname, '..', '..', '..', 'scripts', 'make-sample-certificates.mjs');
    expect(node([script, '--check'])).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
