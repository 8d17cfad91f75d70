import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { describe, expect, it } from '@jest/globals';
import { isJsonObject, member, parseJson, type JsonValue } from '@cer/canonical-json';

// The built command with lines that no client of the protocol sends. test/global-setup.mjs builds it first.

const BIN = join(__dirname, '..', 'bin', 'cer.js');

const ping = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
const pong = (id: unknown): object => ({ jsonrpc: '2.0', id, result: {} });
const refused = (code: number, id: unknown = null): unknown =>
  expect.objectContaining({ jsonrpc: '2.0', id, error: expect.objectContaining({ code }) });

/** The answers to these lines under a version of MCP, up to that of a last ping. */
async function answersTo(protocolVersion: string, ...lines: readonly string[]): Promise<JsonValue[]> {
  const server = spawn(process.execPath, [BIN, 'mcp'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'tests', version: '1' } };
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'initialize', params })}\n`);
  const answers: JsonValue[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    const answer = parseJson(line);
    const id = isJsonObject(answer) ? member(answer, 'id') : undefined;
    if (id === 'first') server.stdin.write([...lines, ping('last'), ''].join('\n'));
    else answers.push(answer);
    if (id === 'last') server.stdin.end();
  }
  return answers;
}

describe('cer mcp', () => {
  it.each(['7', 'null', '"ping"', '{}', '[]', '{"jsonrpc":"1.0","method":"ping"}', ping(null), `[${ping(1)}]`])(
    'answers %s as an invalid request',
    async (line) => {
      expect(await answersTo('2025-11-25', line)).toEqual([refused(-32600), pong('last')]);
    },
  );

  it('repeats the id of an invalid request', async () => {
    expect(await answersTo('2025-11-25', '{"id":3,"method":"ping"}')).toEqual([refused(-32600, 3), pong('last')]);
  });

  it('answers a line that is not JSON', async () => {
    expect(await answersTo('2025-11-25', '{"jsonrpc"')).toEqual([refused(-32700), pong('last')]);
  });

  it('reads batches under the version of MCP that has them', async () => {
    const answers = await answersTo('2025-03-26', `[${ping(1)},7,${ping(2)}]`, '[]');
    expect(answers).toHaveLength(5);
    expect(answers).toEqual(expect.arrayContaining([pong(1), pong(2), refused(-32600), pong('last')]));
  });

  it.each([
    ['nowhere.json', 'nowhere.json: no such file'],
    ['-', '--keys: must be a file or an address'],
  ])('does not begin with keys from %s', (keys, why) => {
    const { status, stderr } = spawnSync(process.execPath, [BIN, 'mcp', '--keys', keys], {
      encoding: 'utf8',
      input: '',
    });
    expect([status, stderr]).toEqual([3, expect.stringContaining(`cer: ${why}`)]);
  });
});
