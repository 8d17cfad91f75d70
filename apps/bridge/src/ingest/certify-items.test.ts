import { describe, expect, it } from '@jest/globals';
import { certifyItems } from './certify-items.js';
import type { Item, Outcome } from './item.js';

function item(index: number, executionId: string | null = null, bytes = 10): Item {
  return { index, executionId, provider: null, model: null, line: new Uint8Array(bytes) };
}

async function* groupsOf(...groups: readonly (readonly Item[])[]): AsyncGenerator<readonly Item[]> {
  for (const group of groups) yield group;
}

const refusedAll = (batch: readonly Item[]): readonly Outcome[] =>
  batch.map(({ index, executionId }) => ({
    index,
    executionId,
    provider: null,
    model: null,
    ok: false,
    refusal: { status: 400, error: 'x' },
  }));

/** Lets a test decide when each batch is answered. */
function heldBatches() {
  const sent: { readonly batch: readonly Item[]; readonly answer: () => void }[] = [];
  const changed = new Set<() => void>();
  const certify = (batch: readonly Item[]): Promise<readonly Outcome[]> =>
    new Promise((resolve) => {
      sent.push({
        batch,
        answer: () => {
          resolve(refusedAll(batch));
        },
      });
      for (const notify of changed) notify();
    });
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (sent.length >= count) resolve();
      };
      changed.add(check);
      check();
    });
  return { sent, certify, until };
}

async function indexes(outcomes: AsyncIterable<readonly Outcome[]>): Promise<number[]> {
  const found: number[] = [];
  for await (const batch of outcomes) found.push(...batch.map(({ index }) => index));
  return found;
}

describe('certifying items as they arrive', () => {
  it('sends at most 500 at once and keeps their order', async () => {
    const sizes: number[] = [];
    const items = Array.from({ length: 1234 }, (_, index) => item(index));
    const found = await indexes(
      certifyItems(groupsOf(items.slice(0, 1200), items.slice(1200)), async (batch) => {
        sizes.push(batch.length);
        return refusedAll(batch);
      }),
    );
    expect(found).toEqual(items.map(({ index }) => index));
    expect(Math.max(...sizes)).toBe(500);
  });

  it('sends large items in smaller batches', async () => {
    const sizes: number[] = [];
    const items = Array.from({ length: 6 }, (_, index) => item(index, null, 2 * 1024 * 1024));
    await indexes(
      certifyItems(groupsOf(items), async (batch) => {
        sizes.push(batch.length);
        return refusedAll(batch);
      }),
    );
    expect(sizes).toEqual([2, 2, 2]);
  });

  it('has at most two batches in progress', async () => {
    const { sent, certify, until } = heldBatches();
    let pulled = 0;
    const source = async function* (): AsyncGenerator<readonly Item[]> {
      for (; pulled < 10; pulled += 1) {
        yield Array.from({ length: 500 }, (_, at) => item(pulled * 500 + at));
      }
    };
    const finding = indexes(certifyItems(source(), certify));
    await until(2);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(2);
    expect(pulled).toBeLessThanOrEqual(4);
    for (let at = 0; at < 10; at += 1) {
      await until(at + 1);
      sent[at]?.answer();
    }
    expect(await finding).toHaveLength(5000);
  });

  it('never certifies one executionId twice concurrently', async () => {
    const { sent, certify, until } = heldBatches();
    const first = Array.from({ length: 500 }, (_, index) => item(index, `e-${index}`));
    const finding = indexes(certifyItems(groupsOf(first, [item(500, 'e-7')]), certify));
    await until(1);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(1);
    sent[0]?.answer();
    await until(2);
    sent[1]?.answer();
    expect(await finding).toHaveLength(501);
  });

  it('answers accepted items before it fails', async () => {
    const source = async function* (): AsyncGenerator<readonly Item[]> {
      yield [item(0), item(1)];
      throw new Error('cut off');
    };
    const found: number[] = [];
    const consume = async (): Promise<void> => {
      for await (const batch of certifyItems(source(), async (items) => refusedAll(items))) {
        found.push(...batch.map(({ index }) => index));
      }
    };
    await expect(consume()).rejects.toThrow('cut off');
    expect(found).toEqual([0, 1]);
  });

  it('ends its source when the consumer stops', async () => {
    let ended = false;
    const source = async function* (): AsyncGenerator<readonly Item[]> {
      try {
        for (let index = 0; ; index += 1) yield [item(index)];
      } finally {
        ended = true;
      }
    };
    for await (const batch of certifyItems(source(), async (items) => refusedAll(items))) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    expect(ended).toBe(true);
  });
});
