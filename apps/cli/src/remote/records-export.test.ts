import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { cer, type Said } from '../testing/console.js';
import { Folder } from '../testing/files.js';
import { LocalServers } from '../testing/local-servers.js';

const folder = new Folder();
const keyFile = folder.write('key', 'cer_live_test\n');
const servers = new LocalServers();

afterEach(() => servers.close());
afterAll(() => {
  folder.remove();
});

const exported = (out: string, node: string, ...more: string[]): Promise<Said> =>
  cer(['records', 'export', '--out', out, '--node', node, '--api-key-file', keyFile, ...more]);

const content = Buffer.alloc(3_000_000, 'package');

describe('cer records export', () => {
  it('writes the package of the query and names the check', async () => {
    const asked: unknown[] = [];
    const node = await servers.serve((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      response.end(content);
    });
    const out = folder.file('new.zip');
    const said = await exported(out, node, '--attested-from', '2026-01-01', '--app-id', 'a&b', '--status', 'hidden');
    expect(said).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('cer verify-package') });
    expect(asked).toEqual([
      ['/v1/records/export?attested_from=2026-01-01&app_id=a%26b&status=hidden', 'Bearer cer_live_test'],
    ]);
    expect(readFileSync(out).equals(content)).toBe(true);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(existsSync(`${out}.part`)).toBe(false);
  });

  it('shows its progress on a terminal', async () => {
    const node = await servers.serve((_, response) => response.end(content));
    const args = ['records', 'export', '--out', folder.file('shown.zip'), '--node', node, '--api-key-file', keyFile];
    expect((await cer(args, { isTerminal: true })).stderr).toMatch(/MiB/);
  });

  it('keeps nothing of a package that was cut off', async () => {
    const node = await servers.serve((_, response) => {
      response.write(content, () => response.destroy());
    });
    const out = folder.file('cut.zip');
    const { exitCode, stderr } = await exported(out, node);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('before it was complete: no file was written')]);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('cut'))).toEqual([]);
  });

  it('ends after the time without bytes, and keeps nothing', async () => {
    const node = await servers.serve((_, response) => response.write(content));
    const out = folder.file('stalled.zip');
    // Long enough for the start of the answer on a busy machine.
    const { exitCode, stderr } = await exported(out, node, '--timeout', '2');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('sent nothing for 2 seconds: no file was written')]);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('stalled'))).toEqual([]);
  });

  it('asks for nothing that has no folder to be kept in', async () => {
    const asked: unknown[] = [];
    const node = await servers.serve((request, response) => {
      asked.push(request.url);
      response.end(content);
    });
    const { exitCode, stderr } = await exported(folder.file('missing/new.zip'), node);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(/^cer: --out: the folder .*missing does not exist\n$/),
    ]);
    expect(asked).toEqual([]);
  });

  it('says that a disk is full', async () => {
    const node = await servers.serve((_, response) => response.end(content));
    const { exitCode, stderr } = await exported('/dev/full', node);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('could not be written (the disk is full, ENOSPC)')]);
  });

  it('distinguishes a file without a key from an unreachable node', async () => {
    const text = folder.write('text', 'cer_live_one\ncer_live_two\n');
    const { exitCode, stderr } = await cer([
      ...['records', 'export', '--node', 'http://127.0.0.1:1', '--out', folder.file('none.zip')],
      ...['--api-key-file', text],
    ]);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('must hold the API key and nothing else')]);
  });

  it('replaces no file', async () => {
    const out = folder.file('there.zip');
    writeFileSync(out, 'mine');
    const { exitCode, stderr } = await exported(out, 'http://127.0.0.1:1');
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('exists already')]);
    expect(readFileSync(out, 'utf8')).toBe('mine');
  });

  it.each<[string, RequestListener, number, string]>([
    ['a refusal', (_, response) => response.writeHead(403).end('{"error":"FORBIDDEN"}'), 1, 'FORBIDDEN'],
    ['a key that is none', (_, response) => response.writeHead(401).end('{"error":"UNAUTHORIZED"}'), 1, 'mistyped'],
    ['something else', (_, response) => response.writeHead(404).end('<html>'), 1, 'is this the address of a node?'],
    ['no answer', (request) => request.socket.destroy(), 1, 'the node cannot be reached: http://127.0.0.1:'],
  ])('reports %s and writes nothing', async (_, listener, code, why) => {
    const out = join(folder.path, 'refused.zip');
    const { exitCode, stderr } = await exported(out, await servers.serve(listener));
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(why)]);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('refused'))).toEqual([]);
  });

  it('advises after a killed call', async () => {
    const node = await servers.serve((_, response) => response.end(content));
    const out = folder.file('again.zip');
    writeFileSync(`${out}.part`, 'half');
    expect((await exported(out, node)).stderr).toContain('is another export running? If not, remove it');
    expect(readFileSync(`${out}.part`, 'utf8')).toBe('half');
  });

  it.each([
    [[]],
    [['--out', '']],
    [['--out', '-']],
    [['--out', 'x', 'y']],
    [['--out', '/']],
    [['--out', 'x/y/z.zip', '--limit', '1']],
  ])('rejects a wrong call: %j', async (args) => {
    const said = await cer(['records', 'export', '--node', 'http://127.0.0.1:1', '--api-key-file', keyFile, ...args]);
    expect([said.exitCode, said.stderr]).toEqual([3, expect.stringMatching(/^cer: /)]);
  });
});
