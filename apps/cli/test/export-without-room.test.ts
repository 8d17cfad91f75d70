import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Folder } from '../src/testing/files.js';

// The built command in a shell that lets no file grow beyond a limit: a disk that fills while a package arrives.

const folder = new Folder();
const keyFile = folder.write('key', 'cer_live_test\n');
const server = createServer(({ headers }, response) => {
  if (headers.authorization === 'Bearer cer_live_test') response.end(Buffer.alloc(3_000_000, 'package'));
  else response.writeHead(401).end('{"error":"UNAUTHORIZED"}');
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  folder.remove();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const BIN = join(__dirname, '..', 'bin', 'cer.js');

async function exported(
  out: string,
  limitKilobytes: string,
  key = keyFile,
): Promise<{ code: unknown; stderr: string }> {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  const call = [BIN, 'records', 'export', '--out', out, '--api-key-file', key];
  const script = `ulimit -f ${limitKilobytes} && exec "$0" "$@"`;
  const args = ['-c', script, process.execPath, ...call, '--node', `http://127.0.0.1:${address.port}`];
  const child = spawn('bash', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, stderr };
}

describe('an export to a place without room', () => {
  it('says so and leaves no file or part', async () => {
    const { code, stderr } = await exported(folder.file('tight.zip'), '1000');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/could not be written \(.*EFBIG\): no file was written/)]);
    expect(readdirSync(folder.path)).toEqual(['key']);
    expect(await exported(folder.file('roomy.zip'), '4000')).toEqual({ code: 0, stderr: '' });
    expect(readdirSync(folder.path).toSorted()).toEqual(['key', 'roomy.zip']);
  });

  it('ends at once when the node refuses', async () => {
    const wrong = folder.write('wrong-key', 'cer_live_wrong\n');
    const { code, stderr } = await exported(folder.file('refused.zip'), 'unlimited', wrong);
    expect([code, stderr]).toEqual([1, expect.stringContaining('UNAUTHORIZED')]);
  });
});
