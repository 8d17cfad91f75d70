import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { encodeHex } from '@cer/keys';
import { judgeCheckpoint, parseLogPolicy, parseTlogProof } from '@cer/tlog';
import { leafHash } from '@cer/tlog/merkle';
import { parseCheckpoint } from '@cer/tlog/note';
import { sqliteTestDatabase } from '@cer/sql-store/testing';
import { ask } from '../../../apps/node/test/ask.js';
import { loggingNode, ORIGIN, proofOf } from '../../../apps/node/test/log/logging-node.js';
import { until } from '../../../apps/node/test/timestamps/timestamping-node.js';
import { BUILT_WITHIN_MS, type Had } from './go-programs.js';
import { aicsPrograms, aicsWitness, litewitness, litewitnessPrograms, type PublicWitness } from './public-witnesses.js';

// A node's logs before witnesses and a reader that others wrote. Where one is not available, a line says why.

const folder = mkdtempSync(join(tmpdir(), 'cer-public-witness-'));
const removals: (() => Promise<void>)[] = [];
const running = promisify(execFile);

let built: { readonly litewitness: Had<string>; readonly aics: Had<string> };

beforeAll(() => {
  built = { litewitness: litewitnessPrograms(folder), aics: aicsPrograms() };
}, BUILT_WITHIN_MS);

afterAll(async () => {
  for (const remove of removals.reverse()) await remove();
  rmSync(folder, { recursive: true, force: true });
});

async function nodeWith({ name, vkey, url, follow, serve, stop }: PublicWitness) {
  removals.push(stop);
  const database = await sqliteTestDatabase();
  removals.push(() => database.remove());
  const quorum = `witness theirs ${vkey} ${url}\nquorum theirs\n`;
  const node = await loggingNode({ database, policy: quorum, epochEverySeconds: 0.5 });
  removals.push(node.close);
  const logs = node
    .policy('')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line.slice('log '.length)]));
  for (const log of logs) follow(log);
  await serve();
  node.start();
  const policy = parseLogPolicy(node.policy(quorum));

  const published = async (prefix: string, size: number) => {
    const { text } = await until(
      () => ask(node.node, 'get', `${prefix}/checkpoint`),
      (answer) => answer.status === 200 && parseCheckpoint(answer.text).size >= size,
    );
    const checkpoint = parseCheckpoint(text);
    expect(checkpoint.note.lines.map((line) => line.name)).toContain(name);
    expect(await judgeCheckpoint(checkpoint, policy)).toMatchObject({ status: 'signed', isQuorumMet: true });
    return { checkpoint, text };
  };
  return { database, node, published, policy, logs };
}

it.each([
  ['litewitness', () => litewitness(built.litewitness, folder)],
  ['aics-witness', () => aicsWitness(built.aics, folder)],
])("%s cosigns a node's growing logs, also after it forgot sizes", async (name, open) => {
  const witness = await open();
  if ('missing' in witness) {
    process.stderr.write(`${name} was not run: ${witness.missing}.\n`);
    return;
  }
  const { database, node, published, policy } = await nodeWith(witness.had);
  for (let size = 1; size <= 5; size += 1) {
    await node.certify();
    await published('/log', size);
  }
  await published('/log/epochs', 2);

  // The node asks from size 0 again: the witness answers 409 with the size that it knows, and the node continues there.
  await database.query('delete from log_witnesses');
  const hash = await node.certify();
  await published('/log', 6);
  const { body } = await proofOf(node.node, hash);
  const { checkpoint } = parseTlogProof((body as { readonly proof: string }).proof);
  expect(await judgeCheckpoint(checkpoint, policy)).toMatchObject({ status: 'signed', isQuorumMet: true });
});

it("aics-tlog reads a node's checkpoint, inclusion and consistency", async () => {
  const { aics: programs } = built;
  const witness = await aicsWitness(programs, mkdtempSync(join(folder, 'read-')));
  if ('missing' in programs || 'missing' in witness) {
    process.stderr.write(`aics-tlog was not run: ${'missing' in programs ? programs.missing : 'no witness'}.\n`);
    return;
  }
  const { node, published, logs } = await nodeWith(witness.had);
  const receipts = logs.find((vkey) => vkey.startsWith(`${ORIGIN}+`)) ?? '';
  for (let size = 1; size <= 3; size += 1) await node.certify();
  const old = await published('/log', 3);
  writeFileSync(join(folder, 'old-checkpoint'), old.text);
  await node.certify();
  await published('/log', 4);

  const trust = ['--log-key', receipts, '--witness-key', witness.had.vkey, '--quorum', '1', '--origin', ORIGIN];
  const reads = (command: string, ...more: readonly string[]): Promise<{ readonly stdout: string }> =>
    running(join(programs.had, 'python'), [
      '-m',
      'aics_tlog',
      command,
      '--tiles',
      `${node.node.url}/log`,
      ...trust,
      ...more,
    ]);
  const [entry = new Uint8Array(0)] = await node.node.store.log.entries(node.setup.log.receipts.logId, 2, 3);
  const leaf = ['--index', '2', '--leaf-hash', encodeHex(leafHash(entry))];
  expect((await reads('verify-checkpoint')).stdout).toContain('"ok": true');
  expect((await reads('verify-inclusion', ...leaf)).stdout).toContain('"ok": true');
  expect((await reads('verify-consistency', '--old-checkpoint', join(folder, 'old-checkpoint'))).stdout).toContain(
    '"ok": true',
  );
  const other = ['--index', '1', '--leaf-hash', encodeHex(leafHash(entry))];
  await expect(reads('verify-inclusion', ...other)).rejects.toThrow();
});
