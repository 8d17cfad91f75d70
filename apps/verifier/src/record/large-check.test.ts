import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLargeCheck, type LargeRequest } from './large-check.js';

const MIB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'large-check-'));
const program = join(folder, 'program.mjs');
let server: Server;

/** Returns the size of its record, of a large one when the test lets it go. */
function programText(port: number): string {
  return `
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { deserialize, serialize } from 'node:v8';
const { length } = deserialize(await buffer(process.stdin)).source;
if (length > ${MIB}) await once(connect(${port}, '127.0.0.1').resume(), 'close');
process.stdout.write(serialize(length));
`;
}

beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  writeFileSync(program, programText(typeof address === 'object' && address !== null ? address.port : 0));
});

afterAll(async () => {
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

function requestOf(bytes: number): LargeRequest {
  const keys = { keySet: '', keySource: null, tsaRoots: null, logPolicy: null } as const;
  return { ...keys, askedHash: null, verifiedAt: '2026-07-01T00:00:00.000Z', source: new Uint8Array(bytes) };
}

it('lets no record up to 1 MiB wait for a larger one', async () => {
  const check = createLargeCheck(program);
  const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const large = check(requestOf(MIB + 1));
  const held = await connected;
  expect(await check(requestOf(MIB))).toBe(MIB);
  held.end();
  expect(await large).toBe(MIB + 1);
});
