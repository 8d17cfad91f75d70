import { TestLog } from '@cer/tlog/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeWitness, serveWitness, START, submit, temporaryFolder, type LocalWitness } from './local-witness.js';

const PER_DAY = 2;
const DAY_MS = 24 * 60 * 60 * 1000;

let folder: ReturnType<typeof temporaryFolder>;
let witness: LocalWitness;
let log: TestLog;
let now: Date;

beforeEach(async () => {
  now = START;
  folder = temporaryFolder();
  await makeWitness(folder.path('w.sqlite'));
  log = new TestLog('node.example/log');
  log.appendMany(10);
  witness = await serveWitness(folder.path('w.sqlite'), [log.vkey], () => now, PER_DAY);
});

afterEach(async () => {
  await witness.close();
  folder.remove();
});

async function advance(from: number, to: number): Promise<number> {
  const path = from === 0 ? [] : log.tree.consistencyPath(from, to);
  return (await submit(witness.url, await log.checkpoint(to), from, path)).status;
}

describe('the requests per day of a log', () => {
  it('limit how often its checkpoint advances', async () => {
    expect(await advance(0, 1)).toBe(200);
    expect(await advance(1, 2)).toBe(200);
    expect(await advance(2, 3)).toBe(429);
    now = new Date(START.getTime() + DAY_MS);
    expect(await advance(2, 3)).toBe(200);
  });

  it('are not used up by public checkpoints sent again', async () => {
    expect(await advance(0, 4)).toBe(200);
    const known = await log.checkpoint(4);
    const newer = await log.checkpoint(5);
    const statuses = new Set<number>();
    for (let n = 0; n < 2 * PER_DAY; n += 1) {
      statuses.add((await submit(witness.url, known, 4)).status);
      statuses.add((await submit(witness.url, known, 0)).status);
      statuses.add((await submit(witness.url, newer, 4)).status);
      statuses.add((await submit(witness.url, newer, 6)).status);
    }
    expect(statuses).toEqual(new Set([200, 409, 422, 400]));
    expect(await advance(4, 10)).toBe(200);
  });

  it('are not used up while the witness cannot cosign', async () => {
    expect(await advance(0, 1)).toBe(200);
    now = new Date(START.getTime() - 1000);
    for (let n = 0; n < 2 * PER_DAY; n += 1) expect(await advance(1, 2)).toBe(503);
    now = START;
    expect(await advance(1, 2)).toBe(200);
  });
});
