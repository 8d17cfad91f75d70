import { describe, expect, it } from '@jest/globals';
import type { LineResult } from '../node-api/lines.js';
import { createDrain } from './drain.js';
import { createMemorySpool } from './memory-spool.js';

const BUNDLES = 50;

async function* attestAll(texts: readonly string[]): AsyncGenerator<LineResult> {
  for (const index of texts.keys()) yield { index, status: 200, body: {} };
}

describe('sending what waits', () => {
  it('handles two results in a turn at most', async () => {
    const spool = createMemorySpool({ maxBytes: 2 ** 20 });
    for (let at = 0; at < BUNDLES; at += 1) spool.put(`{"n":${at}}`);
    let attested = 0;
    let handled = 0;
    const inTurns: number[] = [];
    const drain = createDrain({
      spools: [spool],
      attest: attestAll,
      register: () => Promise.reject(new Error('no project waits')),
      attested: () => (attested += 1),
      registered: () => undefined,
      dead: () => undefined,
      failed: (error) => {
        throw error;
      },
      random: () => 0,
      turn: async () => {
        inTurns.push(attested - handled);
        handled = attested;
      },
      unref: (timer) => timer.unref(),
    });
    await drain.flush(10_000);
    expect(attested).toBe(BUNDLES);
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
    expect(BUNDLES - inTurns.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2);
  });
});
