import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readSample, sample } from '../src/testing/files.js';
import { LocalServers } from '../src/testing/local-servers.js';

// The built command as a client of the protocol starts it. test/global-setup.mjs builds it first.

const BIN = join(__dirname, '..', 'bin', 'cer.js');
const MIB = 1024 * 1024;
const servers = new LocalServers();
let client: Client;
let transport: StdioClientTransport;

afterEach(async () => {
  await client.close();
  await servers.close();
});

async function started(...flags: readonly string[]): Promise<Client> {
  client = new Client({ name: 'tests', version: '1' });
  const args = [BIN, 'mcp', '--keys', sample('keys.json'), ...flags];
  const env = { CER_API_KEY: 'key' };
  transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
  await client.connect(transport);
  return client;
}

async function call(name: string, args: Record<string, unknown>): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [part] = content;
  return { text: part?.type === 'text' ? part.text : '', isError: isError === true };
}

describe('cer mcp', () => {
  it('only reads unless it is allowed to certify', async () => {
    const { tools } = await (await started()).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['verify_certificate', 'look_up', 'list_records', 'explain_report']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    await client.close();
    const writing = await (await started('--allow-certify')).listTools();
    expect(writing.tools.map(({ name }) => name)).toContain('certify_statement');
  });

  it('verifies a file and a text and explains a failure', async () => {
    await started();
    const good = await call('verify_certificate', { file: sample('certified.json') });
    expect([good.isError, JSON.parse(good.text)]).toEqual([false, expect.objectContaining({ status: 'VERIFIED' })]);

    const changed = JSON.stringify({ ...readSample('certified.json'), createdAt: '2020-01-02T03:04:05.000Z' });
    const bad = await call('verify_certificate', { text: changed });
    expect([bad.isError, JSON.parse(bad.text)]).toEqual([false, expect.objectContaining({ status: 'FAILED' })]);
    const { text } = await call('explain_report', { report: bad.text });
    expect(text).toContain('Not verified');
    expect(text).toContain('CERTIFICATE_HASH_MISMATCH: Ask your source for the original');
    expect((await call('explain_report', { report: good.text })).text).toContain('signed by the node');
  });

  it('takes no file name as a flag, reports unreadable files', async () => {
    await started();
    for (const args of [{ file: '--json' }, { file: '-' }, {}, { file: 'a', text: '{}' }]) {
      expect(await call('verify_certificate', args)).toMatchObject({ isError: true });
    }
    expect(await call('explain_report', { report: '{"a":1,"a":2}' })).toEqual({
      text: 'report: is not strict JSON: a: duplicate key',
      isError: true,
    });
  });

  it('cuts the paths of reports', async () => {
    await started();
    const member = 'k'.repeat(60);
    const deep = await call('explain_report', { report: `${`{"${member}":`.repeat(200)}1${'}'.repeat(200)}` });
    expect(deep.text).toMatch(/^report: is not strict JSON: (k{60}\.)+k{0,60}\.{3}: nested deeper than 130 levels$/);
    const findings = [{ code: 'SCHEMA_ERROR', member: member.repeat(20), detail: 'nested deeper than 130 levels' }];
    const { text } = await call('explain_report', { report: JSON.stringify({ status: 'FAILED', findings }) });
    expect(text).toMatch(/^SCHEMA_ERROR: k{300}\.{3}: nested deeper than 130 levels$/m);
  });

  it('asks the node that it was started with', async () => {
    const asked: (string | undefined)[] = [];
    const node = await servers.serve((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'no key'}`);
      const isList = request.url?.startsWith('/v1/records') === true;
      response.end(JSON.stringify(isList ? { records: [], nextCursor: null } : readSample('certified.json')));
    });
    await started('--node', node, '--allow-certify');
    const { certificateHash } = readSample('certified.json');
    if (typeof certificateHash !== 'string') throw new TypeError('a certificate has a hash');
    const verified = await call('verify_certificate', { certificateHash });
    expect(JSON.parse(verified.text)).toMatchObject({ status: 'VERIFIED', certificateHash });
    expect(await call('look_up', { executionId: '-x' })).toMatchObject({ isError: false });
    expect(JSON.parse((await call('list_records', { limit: 5 })).text)).toEqual({ records: [], nextCursor: null });
    const statement = { provider: 'p', model: 'm', input: 'a', output: 'b', executionId: 'id-1' };
    expect(await call('certify_statement', statement)).toMatchObject({ isError: false });
    expect(asked).toEqual([
      `GET /v1/cer/public?certificate_hash=${encodeURIComponent(certificateHash)} no key`,
      'GET /v1/cer/public?execution_id=-x no key',
      'GET /v1/records?limit=5 Bearer key',
      'POST /v1/cer/ai/certify Bearer key',
    ]);
  });

  it('reports refusals of the node', async () => {
    const node = await servers.serve((_, response) => response.writeHead(403).end('{"error":"FORBIDDEN"}'));
    await started('--node', node);
    const { text, isError } = await call('list_records', {});
    expect([isError, JSON.parse(text)]).toEqual([true, expect.objectContaining({ reason: 'FORBIDDEN' })]);
  });

  it('continues after a message that is too long', async () => {
    await started();
    const warned = new Promise((resolve) => transport.stderr?.once('data', resolve));
    const { text } = await call('verify_certificate', { text: `"${'x'.repeat(11 * MIB)}"` });
    expect(JSON.parse(text)).toMatchObject({ status: 'FAILED' });

    const args = { name: 'verify_certificate', arguments: { text: 'x'.repeat(64 * MIB) } };
    await expect(client.callTool(args)).rejects.toThrow('at most 64 MiB');
    expect(String(await warned)).toContain('at most 64 MiB');
    expect((await client.listTools()).tools).not.toEqual([]);
  });

  it('ends when the client closes its end', async () => {
    transport = new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'] });
    client = new Client({ name: 'tests', version: '1' });
    await client.connect(transport);
    const { pid } = transport;
    await client.close();
    expect(() => process.kill(pid ?? 0, 0)).toThrow();
  });
});
