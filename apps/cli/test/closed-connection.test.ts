import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sample } from '../src/testing/files.js';

// The built command, and an address that closes every connection, like a tunnel without its other end.

const server = createServer((socket) => {
  socket.on('error', () => undefined).destroy();
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const BIN = join(__dirname, '..', 'bin', 'cer.js');

it('reports a connection closed on opening', async () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  const args = [BIN, 'verify', sample('certified.json'), '--keys', `http://127.0.0.1:${address.port}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  }
  const [code] = (await once(child, 'close')) as unknown[];
  expect([code, said]).toEqual([1, expect.stringMatching(/no answer within 10 seconds|no connection/)]);
});
