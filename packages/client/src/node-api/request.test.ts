import { expect, it } from '@jest/globals';
import { createNodeClient, NodeError, type Transport } from '../node-client.js';

it('a request without a limit has a timer that does not end at once', async () => {
  const limits: number[] = [];
  const transport: Transport = {
    exchange: async ({ timeoutMs }) => {
      limits.push(timeoutMs);
      throw new NodeError('UNREACHABLE', 'no node', { status: 400 });
    },
  };
  const node = createNodeClient({ nodeUrl: 'http://127.0.0.1:1', transport, timeoutMs: Infinity });
  await expect(node.health()).rejects.toThrow('no node');
  await expect(node.health({ timeoutMs: 5 })).rejects.toThrow('no node');
  expect(limits).toEqual([2 ** 31 - 1, 5]);
});
