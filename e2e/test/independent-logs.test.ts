import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { judgeCheckpoint, parseLogPolicy } from '@cer/tlog';
import { leafHash } from '@cer/tlog/merkle';
import { parseCheckpoint } from '@cer/tlog/note';
import { openTileTree, parseTilePath, tilesMatch, formatTilePath } from '@cer/tlog/tiles';
import { TestLog, TestWitness } from '@cer/tlog/testing';
import { builtProgram } from '@cer/http-service/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BUILT_WITHIN_MS, goPrograms } from './log/go-programs.js';

// Logs, proofs and witnesses of this project beside programs that others wrote: golang.org/x/mod/sumdb and the formats,
// merkle and tessera of transparency-dev. Where Go or its modules are missing, the tests say so in one line.

const folder = mkdtempSync(join(tmpdir(), 'cer-independent-'));
const program = join(folder, 'independent-tlog');
const children: ChildProcess[] = [];
const servers: Server[] = [];
const running = promisify(execFile);
let missing: string | null = null;

beforeAll(() => {
  const programs = goPrograms({ module: join(__dirname, '../go'), packages: ['.'], since: '1.26', into: folder });
  if (!('missing' in programs)) return;
  ({ missing } = programs);
  process.stderr.write(`Independent log programs were not run: ${missing}.\n`);
}, BUILT_WITHIN_MS);

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(log: TestLog, checkpoint: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    const body = path === 'checkpoint' ? checkpoint : log.tile(parseTilePath(path));
    response.statusCode = body === null ? 404 : 200;
    response.end(body ?? '');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return `http://127.0.0.1:${String(address.port)}`;
}

it('golang.org/x/mod reads a whole log, its checkpoint and cosignatures', async () => {
  if (missing !== null) return;
  const [log, witness] = [new TestLog('node.example/log'), new TestWitness('w.example/1')];
  log.appendMany(700);
  const address = await serve(log, await log.checkpoint(700, [[witness, 1_767_323_045]]));
  const { stdout } = await running(program, ['read', address, log.vkey, witness.vkey]);
  expect(stdout).toBe('read 700 entries, each in the signed tree; consistent from every size\n');
  const stranger = new TestWitness('stranger');
  await expect(running(program, ['read', address, log.vkey, stranger.vkey])).rejects.toThrow('1 signatures');
});

it('transparency-dev/merkle verifies a proof and refuses another leaf', async () => {
  if (missing !== null) return;
  const [log, witness] = [new TestLog('node.example/log'), new TestWitness('w.example/1')];
  log.appendMany(300);
  const entry = Uint8Array.of(1, ...new Uint8Array(32).fill(9));
  const index = log.append(entry);
  log.appendMany(20);
  const proof = log.proof(index, await log.checkpoint(log.size, [[witness, 1_767_323_045]]), Buffer.from('{}'));
  const file = join(folder, 'proof');
  writeFileSync(file, proof);
  const check = (leaf: Uint8Array): ReturnType<typeof running> =>
    running(program, ['proof', file, Buffer.from(leaf).toString('hex'), log.vkey, witness.vkey]);
  expect(await check(leafHash(entry))).toMatchObject({
    stdout: `included at ${String(index)} of ${String(log.size)}\n`,
  });
  await expect(check(leafHash(Uint8Array.of(1)))).rejects.toThrow();
});

it('the witness cosigns a log of Tessera', async () => {
  if (missing !== null) return;
  const [secret = '', vkey = ''] = execFileSync(program, ['keys', 'tessera.example/log'], { encoding: 'utf8' }).split(
    '\n',
  );
  const keyFile = join(folder, 'log.key');
  writeFileSync(keyFile, secret, { mode: 0o600 });

  const database = join(folder, 'w.sqlite');
  const witness = builtProgram('apps/witness/src/main.ts');
  const made = execFileSync(process.execPath, [witness, 'init', '--name', 'w.example/1', '--db', database]);
  const witnessKey = made.toString().trim();
  const child = spawn(process.execPath, [witness, 'serve', '--db', database, '--log', vkey, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const witnessUrl = await listening(child);

  const policyText = `log ${vkey}\nwitness w ${witnessKey} ${witnessUrl}\nquorum w\n`;
  const policyFile = join(folder, 'policy.txt');
  writeFileSync(policyFile, policyText);
  const store = join(folder, 'tessera');
  const { stdout: note } = await running(program, ['tessera', keyFile, policyFile, store, '20']);

  const checkpoint = parseCheckpoint(note);
  const verdict = await judgeCheckpoint(checkpoint, parseLogPolicy(policyText));
  expect(verdict).toMatchObject({ status: 'signed', isQuorumMet: true, witnesses: [{ name: 'w' }] });
  expect(checkpoint.size).toBe(20);
  const tree = openTileTree(checkpoint.size, async (tile) => readFileSync(join(store, formatTilePath(tile))));
  expect(await tilesMatch(checkpoint, tree)).toBe(true);
  child.kill('SIGTERM');
  await once(child, 'exit');
});

async function listening(child: ChildProcess): Promise<string> {
  let said = '';
  if (child.stdout === null) throw new TypeError('the witness has no output');
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    const url = /"url":"([^"]+)"/.exec(said)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the witness ended before it listened');
}
