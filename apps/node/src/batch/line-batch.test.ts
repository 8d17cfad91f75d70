import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@cer/http-service/process';
import { WorkTurns } from '../limits/work-turns.js';
import { processLines, type LineBatchDeps } from './line-batch.js';
import { LineRoom } from './line-room.js';

const MIB = 1024 * 1024;

const depsOf = (lineRoom = new LineRoom(1024 * 1024)): LineBatchDeps & { taken: string[] } => {
  const taken: string[] = [];
  const turns = new WorkTurns();
  return {
    taken,
    logger: silentLogger(),
    lineRoom,
    refusals: { counting: (_tenantId, work) => work((request) => request), refused: () => undefined },
    turns: {
      take: (holder) => {
        taken.push(holder);
        return turns.take(holder);
      },
    },
    batchLines: { observe: () => undefined },
  };
};

async function* linesOf(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield Buffer.from(`"${'x'.repeat(size - 3)}"\n`);
}

/** Runs a batch and notes in `log` when a line is processed and when its answer is taken. */
async function run(deps: LineBatchDeps, log: string[], holder: string, sizes: readonly number[]): Promise<void> {
  let started = 0;
  const batch = processLines(deps, linesOf(sizes), {
    holder,
    idOf: () => null,
    process: async () => {
      log.push(`${holder} makes ${started}`);
      started += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return 'null';
    },
  });
  let taken = 0;
  for await (const line of batch) {
    expect(line).toBe(`{"index":${taken},"status":200,"body":null}\n`);
    log.push(`${holder} takes ${taken}`);
    taken += 1;
  }
  expect([started, taken]).toEqual([sizes.length, sizes.length]);
}

describe('the memory of a batch', () => {
  it('holds one large line until its answer is taken', async () => {
    const log: string[] = [];
    await run(depsOf(), log, 'a', [4 * MIB, 4 * MIB, 1000]);
    expect(log).toEqual(['a makes 0', 'a takes 0', 'a makes 1', 'a takes 1', 'a makes 2', 'a takes 2']);
  });

  it('holds as many smaller lines as fit', async () => {
    const log: string[] = [];
    await run(depsOf(), log, 'a', [MIB, MIB, MIB, MIB]);
    expect(log.slice(0, 5)).toEqual(['a makes 0', 'a makes 1', 'a makes 2', 'a takes 0', 'a makes 3']);
  });

  it('is shared by all batches', async () => {
    const log: string[] = [];
    const deps = depsOf(new LineRoom(40 * MIB));
    await Promise.all(['a', 'b', 'c'].map((holder) => run(deps, log, holder, [4 * MIB, 4 * MIB])));
    let making = 0;
    for (const entry of log) {
      making += entry.includes('makes') ? 1 : -1;
      expect(making).toBeLessThanOrEqual(1);
    }
    expect(log).toHaveLength(12);
  });
});

it('takes a turn for every 64 KiB of lines', async () => {
  const deps = depsOf();
  await run(deps, [], 'a', [...Array.from({ length: 130 }, () => 1024), 200 * 1024]);
  expect(deps.taken).toEqual(['a', 'a', 'a']);
});
