import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { TestLog } from '@cer/tlog/testing';
import { originHashOf, parseCheckpoint } from '@cer/tlog/note';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openWitness, initWitness } from '../src/store/open-store.js';
import { get, makeWitness, serveWitness, START, submit, temporaryFolder, type LocalWitness } from './local-witness.js';

const ORIGIN = 'node.example/log';
const folder: { current: ReturnType<typeof temporaryFolder> | null } = { current: null };
const running: LocalWitness[] = [];
let database: string;
let log: TestLog;

beforeEach(async () => {
  const made = temporaryFolder();
  folder.current = made;
  database = made.path('w.sqlite');
  await makeWitness(database);
  log = new TestLog(ORIGIN);
  log.appendMany(40);
});

afterEach(async () => {
  for (const witness of running.splice(0)) await witness.close();
  folder.current?.remove();
});

async function serve(now?: () => Date, file = database): Promise<LocalWitness> {
  const witness = await serveWitness(file, [log.vkey], now);
  running.push(witness);
  return witness;
}

it('a restarted witness remembers its cosignatures', async () => {
  const first = await serve();
  await submit(first.url, await log.checkpoint(4));
  const second = await serve();
  expect(await submit(second.url, await log.checkpoint(40))).toMatchObject({ status: 409, text: '4\n' });
});

it('two processes cosign one line of concurrently submitted trees', async () => {
  const witnesses = [await serve(), await serve()];
  const forks = [0, 1, 2, 3].map((seed) => {
    const fork = new TestLog(ORIGIN);
    fork.appendMany(8, seed);
    return fork;
  });
  const answers = await Promise.all(
    forks.flatMap((fork) =>
      witnesses.map(async ({ url }) => ({ root: fork.tree.root, ...(await submit(url, await fork.checkpoint())) })),
    ),
  );
  const roots = new Set(
    answers.filter(({ status }) => status === 200).map(({ root }) => Buffer.from(root).toString('hex')),
  );
  expect(roots.size).toBe(1);
  expect(answers.every(({ status }) => [200, 409, 422].includes(status))).toBe(true);
});

it('a step from a head that another process has left is not taken', async () => {
  const processes = [await openWitness(database), await openWitness(database)];
  const from = { size: 0, root: new TestLog(ORIGIN).tree.root };
  const cosigned: number[] = [];
  const outcomes: string[] = [];
  for (const [seed, { store }] of processes.entries()) {
    await store.know(ORIGIN);
    const fork = new TestLog(ORIGIN);
    fork.appendMany(8, seed);
    const cosign = async (): Promise<string> => {
      cosigned.push(seed);
      return 'note';
    };
    const to = { origin: ORIGIN, size: 8, root: fork.tree.root };
    outcomes.push(await store.advance({ from, to, time: START.getTime() / 1000, cosign }));
  }
  expect([outcomes, cosigned]).toEqual([['stored', 'moved'], [0]]);
  for (const { store } of processes) await store.close();
});

it('concurrent submissions never decrease the known size', async () => {
  const witnesses = [await serve(), await serve()];
  const sizes = Array.from({ length: 40 }, (_, at) => at + 1);
  await Promise.all(sizes.map(async (size) => submit(witnesses[size % 2]?.url ?? '', await log.checkpoint(size))));
  const note = await get(witnesses[0]?.url ?? '', `/${originHashOf(ORIGIN)}/checkpoint`);
  const { size } = parseCheckpoint(note.text);
  expect(await submit(witnesses[1]?.url ?? '', await log.checkpoint(40), 0)).toMatchObject({
    status: 409,
    text: `${String(size)}\n`,
  });
});

it('a clock before the last cosignature is refused after a restart', async () => {
  const first = await serve();
  await submit(first.url, await log.checkpoint(4));
  const before = await serve(() => new Date(START.getTime() - 1000));
  const path = log.tree.consistencyPath(4, 9);
  expect(await submit(before.url, await log.checkpoint(9), 4, path)).toMatchObject({ status: 503 });
  const { status, text } = await get(before.url, '/ready');
  expect(status).toBe(503);
  expect(text).toContain('the clock is before the last cosignature: set it right');
  expect(await get(first.url, '/ready')).toMatchObject({ status: 200 });
  expect(await submit(first.url, await log.checkpoint(9), 4, path)).toMatchObject({ status: 200 });
});

it('a witness without its database ends and creates none', async () => {
  rmSync(database);
  await expect(openWitness(database)).rejects.toThrow('Without its memory its key must not sign again');
  expect(existsSync(database)).toBe(false);
});

it('a database of another key is refused', async () => {
  const other = folder.current?.path('other.sqlite') ?? '';
  await makeWitness(other);
  copyFileSync(`${other}.key`, `${database}.key`);
  await expect(openWitness(database)).rejects.toThrow('was not made with the key of this witness');
});

it('a witness is never made twice from one file', async () => {
  await expect(initWitness(database, 'witness.example/w2', START)).rejects.toThrow('exists already');
});

it('a name that no key can have is refused', async () => {
  const file = folder.current?.path('new.sqlite') ?? '';
  await expect(initWitness(file, 'two words', START)).rejects.toThrow('--name');
  expect(existsSync(file)).toBe(false);
});
