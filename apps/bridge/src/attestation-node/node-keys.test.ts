import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { connectToNode } from './connection.js';
import { publishedKeys } from './node-keys.js';

describe('the keys of the node', () => {
  it('have a shorter timeout than certifying', async () => {
    const silent = createServer((socket) => {
      socket.resume().on('error', () => undefined);
    });
    const port = await new Promise<number>((resolve) => {
      silent.listen(0, '127.0.0.1', () => {
        const address = silent.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const node = connectToNode(`http://127.0.0.1:${port}`);
    const keys = publishedKeys(node, Date.now, 50);
    await expect(keys.keySetWith(null)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    node.close();
    await new Promise((resolve) => silent.close(resolve));
  });
});
