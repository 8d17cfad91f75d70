import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cer } from '../testing/console.js';
import { Folder, readSample, sample } from '../testing/files.js';

const folder = new Folder();
afterAll(() => {
  folder.remove();
});

const KEYS = ['--keys', sample('keys.json')];
const certified = JSON.stringify(readSample('certified.json'));
const sealed = JSON.stringify(readSample('sealed.json'));
const tampered = certified.replace('example-chat-1"', 'example-chat-9"');

describe('cer verify --batch', () => {
  it('prints a line per file, in order, and a summary', async () => {
    const files = ['certified.json', 'sealed.json', 'project.json'].map(sample);
    const { exitCode, stdout, stderr } = await cer(['verify', '--batch', ...files, ...KEYS]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^verified .*certified\.json$/);
    expect(lines[1]).toMatch(/^integrity only .*sealed\.json$/);
    expect(lines[2]).toMatch(/^verified .*project\.json$/);
    expect(stdout).toContain('3 checked in 0.0 s: 2 verified, 1 integrity only (signed by no node), 0 failed');
  });

  it('reads one certificate per line from standard input', async () => {
    const { exitCode, stdout } = await cer(['verify', '--batch', '-', '--json', ...KEYS], {
      stdin: `${certified}\n\n  \r\n${sealed}`,
    });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(exitCode).toBe(0);
    expect(lines).toMatchObject([
      { name: 'standard input:1', exitCode: 0, status: 'VERIFIED' },
      { name: 'standard input:4', exitCode: 0, status: 'VERIFIED' },
      { summary: { total: 2, verified: 1, integrityOnly: 1, failed: 0, unreadable: 0 } },
    ]);
  });

  it('exits with 1 and one report when an item fails', async () => {
    const path = folder.write('some.ndjson', [certified, tampered, '{"a":1,"a":2}'].join('\n'));
    const { exitCode, stderr } = await cer(['verify', '--batch', path, ...KEYS]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      status: 'FAILED',
      reason: 'CERTIFICATE_HASH_MISMATCH',
      checks: { bundleIntegrity: 'FAIL' },
      summary: { total: 3, verified: 1, failed: 2 },
      failed: [{ name: `${path}:2` }, { name: `${path}:3`, code: 'SCHEMA_ERROR' }],
    });
  });

  it('exits with 3 when an item cannot be read', async () => {
    const path = folder.write('broken.jsonl', [certified, tampered, '{broken', certified].join('\n'));
    const { exitCode, stdout, stderr } = await cer(['verify', '--batch', path, folder.file('none.json'), ...KEYS]);
    expect(exitCode).toBe(3);
    expect(stderr).toBe('cer: 2 of 5 could not be read\n');
    expect(stdout).toContain(`${path}:3: is not valid JSON`);
    expect(stdout).toContain('none.json: no such file');
  });

  it('unpacks lines, whatever the file is called', async () => {
    const packed = gzipSync(`${certified}\n${tampered}\n`);
    for (const name of ['packed.ndjson.gz', 'packed.ndjson']) {
      const path = folder.write(name, packed);
      const { stdout, stderr } = await cer(['verify', '--batch', path, ...KEYS]);
      expect(stdout).toContain('2 checked');
      expect(JSON.parse(stderr)).toMatchObject({
        summary: { verified: 1, failed: 1 },
        failed: [{ name: `${path}:2` }],
      });
    }
  });

  it.each<[string, (packed: Buffer) => Buffer, string]>([
    ['cut', (packed) => packed.subarray(0, -9), 'is a gzip file that is damaged'],
    ['longer', (packed) => Buffer.concat([packed, Buffer.from('\0{}')]), 'has other bytes behind its end'],
  ])('does not pass with packed lines that are %s', async (name, change, fault) => {
    const path = folder.write(`${name}.ndjson.gz`, change(gzipSync(`${certified}\n`)));
    const { exitCode, stdout } = await cer(['verify', '--batch', path, ...KEYS]);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(fault);
  });

  it('skips a line that is too long', async () => {
    const path = folder.write('long.ndjson', ['"' + 'x'.repeat(100_000) + '"', sealed].join('\n'));
    const { exitCode, stdout } = await cer(['verify', '--batch', path, '--max-bytes', '10000']);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('1 integrity only');
    expect(stdout).toContain('long.ndjson:1: is larger than 10000 bytes');
  });

  it.each([[[]], [['--json']]])('does not pass without a certificate %j', async (flags) => {
    const path = folder.write('none.ndjson', '\n \n');
    const { exitCode, stdout, stderr } = await cer(['verify', '--batch', path, ...KEYS, ...flags]);
    expect([exitCode, stderr]).toEqual([3, 'cer: no certificate was given, so none was verified\n']);
    expect(stdout).toMatch(/^(?:\n0 checked|\{"summary":\{"total":0,)/);
  });

  it('draws and removes a progress bar on a terminal', async () => {
    const { stderr } = await cer(['verify', '--batch', sample('certified.json'), ...KEYS], { isTerminal: true });
    expect(stderr).toMatch(/\[#{30}\] 100% {2}1 verified/);
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
    expect((await cer(['verify', '--batch', sample('certified.json'), ...KEYS])).stderr).toBe('');
  });
});
