import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { LineResult } from '../node-api/lines.js';
import { NodeError } from '../node-api/node-error.js';
import { createDrain } from './drain.js';
import type { DrainDeps, Patience } from './send.js';
import { createMemorySpool } from './memory-spool.js';
import type { Spool } from './spool.js';

const BUNDLES = 50;

async function* attestAll(texts: readonly string[]): AsyncGenerator<LineResult> {
  for (const index of texts.keys()) yield { index, status: 200, body: {} };
}

/** A node that accepts requests and never answers. */
function attestNever(asked: (patience: Patience) => void = () => undefined): DrainDeps['attest'] {
  return async function* (_, patience) {
    asked(patience);
    await new Promise(() => undefined);
    yield* attestAll([]);
  };
}

function spoolOf(count: number): Spool {
  const spool = createMemorySpool();
  for (let at = 0; at < count; at += 1) spool.put(`{"n":${at}}`);
  return spool;
}

const unexpected = (error: unknown): never => {
  throw error;
};

const DEPS: Omit<DrainDeps, 'spools'> = {
  attest: attestAll,
  register: () => Promise.reject(new Error('no project waits')),
  timeoutMs: 10_000,
  attested: () => undefined,
  registered: () => undefined,
  dead: () => undefined,
  failed: unexpected,
  random: () => 0,
  turn: async () => undefined,
  unref: (timer) => timer.unref(),
};

describe('sending what waits', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('waits without a limit, in timers that do not end at once', async () => {
    const delays = jest.spyOn(globalThis, 'setTimeout');
    const spool = spoolOf(BUNDLES);
    await createDrain({ ...DEPS, spools: [spool] }).flush(Infinity);
    expect(spool.waiting).toBe(0);
    expect(delays.mock.calls.map(([, ms]) => ms)).toContain(2 ** 31 - 1);
  });

  it('handles two results in a turn at most', async () => {
    let attested = 0;
    let handled = 0;
    const inTurns: number[] = [];
    const drain = createDrain({
      ...DEPS,
      spools: [spoolOf(BUNDLES)],
      attested: () => (attested += 1),
      turn: async () => {
        inTurns.push(attested - handled);
        handled = attested;
      },
    });
    await drain.flush(10_000);
    expect(attested).toBe(BUNDLES);
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
    expect(BUNDLES - inTurns.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2);
  });

  it('sends fewer bundles after a request that is too large', async () => {
    const large = '{"n":30,"prompt":"more than fits"}';
    const spool = spoolOf(BUNDLES);
    spool.put(large);
    spool.put('{"n":51}');
    const sent: string[] = [];
    const dead: string[] = [];
    const faults: unknown[] = [];
    const drain = createDrain({
      ...DEPS,
      spools: [spool],
      failed: (error) => faults.push(error),
      attest: async function* (texts) {
        if (texts.length > 8 || texts.includes(large)) throw new NodeError('UNEXPECTED_ANSWER', '', { status: 413 });
        sent.push(...texts);
        yield* attestAll(texts);
      },
      dead: (text, code) => dead.push(`${code} ${text}`),
    });
    await drain.flush(10_000);
    expect(sent).toEqual([...Array.from({ length: BUNDLES }, (_, at) => `{"n":${at}}`), '{"n":51}']);
    expect(dead).toEqual([`UNEXPECTED_ANSWER ${large}`]);
    expect(faults).toEqual([]);
    expect(spool.waiting).toBe(0);
  });

  it.each([1, 3, 120])('meets a limit of %s bundles once in many requests', async (limit) => {
    const spool = spoolOf(0);
    const counts = { taken: 0, refused: 0 };
    const drain = createDrain({
      ...DEPS,
      spools: [spool],
      attest: async function* (texts) {
        counts[texts.length > limit ? 'refused' : 'taken'] += 1;
        if (texts.length > limit) throw new NodeError('UNEXPECTED_ANSWER', '', { status: 413 });
        yield* attestAll(texts);
      },
    });
    const send = async (requests: number): Promise<void> => {
      Object.assign(counts, { taken: 0, refused: 0 });
      for (let n = 0; n < requests * limit; n += 1) spool.put(`{"n":${n}}`);
      await drain.flush(10_000);
      expect(spool.waiting).toBe(0);
    };
    await send(2);
    // What was learned is known when more waits.
    await send(50);
    expect(counts.refused).toBeLessThan(counts.taken / 10);
  });

  it('waits longer for a node after each failure', async () => {
    const waited: number[] = [];
    const drain = createDrain({
      ...DEPS,
      spools: [spoolOf(1)],
      failed: () => undefined,
      async *attest(texts, { timeoutMs }) {
        waited.push(timeoutMs);
        if (waited.length < 5) throw new NodeError('TIMEOUT', 'no answer in time');
        yield* attestAll(texts);
      },
    });
    await drain.flush(10_000);
    expect(waited).toEqual([2000, 4000, 8000, 10_000, 10_000]);
  });

  it('waits a day at most when a node asks for longer', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const failed = new Promise<void>((resolve) => {
      const drain = createDrain({
        ...DEPS,
        spools: [spoolOf(1)],
        failed: () => {
          resolve();
        },
        async *attest() {
          throw new NodeError('RATE_LIMITED', 'later', { status: 429, retryAfterMs: 8000 * 365 * 24 * 3600 * 1000 });
          yield* attestAll([]);
        },
        unref: (timer) => {
          timer.unref();
          drain.stop();
        },
      });
      drain.start();
    });
    await failed;
    expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([24 * 3600 * 1000]);
  });

  it.each([
    ['certificate', '{"certificateHash":"sha256:a"}', 'certificateHash'],
    ['project', '{"bundleType":"cer.project.bundle.v1","integrity":{"projectHash":"sha256:a"}}', 'projectHash'],
  ])('keeps a bundle until the answer names its %s', async (_, text, name) => {
    const spool = spoolOf(0);
    spool.put(text);
    const answers = [{ ok: true }, { [name]: 'sha256:b' }, { [name]: 'sha256:a' }];
    const next = (): LineResult => ({ index: 0, status: 200, body: answers.shift() ?? {} });
    const taken: unknown[] = [];
    const faults: unknown[] = [];
    const drain = createDrain({
      ...DEPS,
      spools: [spool],
      async *attest() {
        yield next();
      },
      register: async () => next(),
      attested: (body) => taken.push(body),
      registered: (body) => taken.push(body),
      failed: (error) => faults.push(error),
    });
    await drain.flush(10_000);
    expect(taken).toEqual([{ [name]: 'sha256:a' }]);
    expect(faults).toMatchObject([{ code: 'UNEXPECTED_ANSWER' }, { code: 'UNEXPECTED_ANSWER' }]);
    expect(spool.waiting).toBe(0);
  });

  it('sends what one spool gets while another is sent', async () => {
    const [disk, memory] = [createMemorySpool(), spoolOf(1)];
    const sent: string[] = [];
    const drain = createDrain({
      ...DEPS,
      spools: [disk, memory],
      async *attest(texts) {
        sent.push(...texts);
        if (sent.length === 1) {
          disk.put('{"n":"late"}');
          drain.start();
        }
        yield* attestAll(texts);
      },
    });
    drain.start();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(['{"n":0}', '{"n":"late"}']);
  });

  it('ends the request under way when it stops', async () => {
    const asked: Patience[] = [];
    const drain = createDrain({ ...DEPS, spools: [spoolOf(1)], attest: attestNever((one) => asked.push(one)) });
    await drain.flush(1);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false]);
    drain.stop();
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true]);
  });

  it('registers a project after calls that another spool has', async () => {
    const project = '{"bundleType":"cer.project.bundle.v1"}';
    const [disk, memory] = [createMemorySpool(), spoolOf(1)];
    disk.put(project);
    const sent: string[] = [];
    const dead: string[] = [];
    const drain = createDrain({
      ...DEPS,
      spools: [disk, memory],
      async *attest(texts) {
        sent.push(...texts);
        yield* attestAll(texts);
      },
      register: async () =>
        sent.length === 0
          ? { index: 0, status: 409, body: { error: 'ATTESTATION_MISSING' } }
          : { index: 0, status: 200, body: {} },
      registered: () => sent.push(project),
      dead: (_, code) => dead.push(code),
      failed: () => undefined,
    });
    await drain.flush(10_000);
    expect({ sent, dead }).toEqual({ sent: ['{"n":0}', project], dead: [] });
  });

  it('registers a project after calls that wait behind it', async () => {
    const projects = ['{"bundleType":"cer.project.bundle.v1","n":1}', '{"bundleType":"cer.project.bundle.v1","n":2}'];
    const disk = createMemorySpool();
    for (const text of [...projects, '{"n":0}']) disk.put(text);
    const sent: string[] = [];
    const dead: string[] = [];
    const drain = createDrain({
      ...DEPS,
      spools: [disk, createMemorySpool()],
      async *attest(texts) {
        sent.push(...texts);
        yield* attestAll(texts);
      },
      // The calls of the second one are nowhere.
      register: async (text) =>
        sent.length === 0 || text === projects[1]
          ? { index: 0, status: 400, body: { error: 'ATTESTATION_MISSING' } }
          : { index: 0, status: 200, body: { text } },
      registered: ({ text }) => sent.push(typeof text === 'string' ? text : ''),
      dead: (text, code) => dead.push(text, code),
    });
    await drain.flush(10_000);
    expect({ sent, dead }).toEqual({ sent: ['{"n":0}', projects[0]], dead: [projects[1], 'ATTESTATION_MISSING'] });
    expect(disk.waiting).toBe(0);
  });

  it('gives up a project whose calls no spool has', async () => {
    const disk = createMemorySpool();
    disk.put('{"bundleType":"cer.project.bundle.v1"}');
    const dead: string[] = [];
    const drain = createDrain({
      ...DEPS,
      spools: [disk, createMemorySpool()],
      register: async () => ({ index: 0, status: 409, body: { error: 'ATTESTATION_MISSING' } }),
      dead: (_, code) => dead.push(code),
    });
    await drain.flush(10_000);
    expect(dead).toEqual(['ATTESTATION_MISSING']);
  });

  describe('with bundles that the node cannot attest', () => {
    const bundle = (name: string): string => `{"certificateHash":"sha256:${name}"}`;
    const nameOf = (text: string): string => /sha256:(\w+)/.exec(text)?.[1] ?? '';
    const project = '{"bundleType":"cer.project.bundle.v1","steps":["sha256:bad"]}';

    /** A node that has a fault of its own with bundles named `bad`, until it is repaired. */
    function faultyNode(answerTo: (index: number, text: string) => LineResult) {
      const state = { isRepaired: false };
      const sent: string[] = [];
      const faults: unknown[] = [];
      const dead: string[] = [];
      const deps: Omit<DrainDeps, 'spools'> = {
        ...DEPS,
        async *attest(texts) {
          for (const [index, text] of texts.entries()) {
            const isBad = nameOf(text).startsWith('bad') && !state.isRepaired;
            if (!isBad) sent.push(nameOf(text));
            yield isBad
              ? answerTo(index, text)
              : { index, status: 200, body: { certificateHash: `sha256:${nameOf(text)}` } };
          }
        },
        register: async () => {
          const isKnown = sent.includes('bad');
          if (isKnown) sent.push('project');
          return isKnown
            ? { index: 0, status: 200, body: {} }
            : { index: 0, status: 400, body: { error: 'ATTESTATION_MISSING' } };
        },
        dead: (text, code) => dead.push(text, code),
        failed: (error) => faults.push(error),
      };
      return { state, sent, faults, dead, deps };
    }
    const broken = (index: number): LineResult => ({ index, status: 500, body: { error: 'INTERNAL_ERROR' } });
    const another = (index: number): LineResult => ({ index, status: 200, body: { certificateHash: 'sha256:other' } });

    /** Sends until all but `count` are attested, or the faults are too many. */
    async function sendAllBut(count: number, spool: Spool, node: ReturnType<typeof faultyNode>) {
      const drain = createDrain({ ...node.deps, spools: [spool] });
      while (spool.waiting > count && node.faults.length < 1000) await drain.flush(1);
      return drain;
    }

    it.each([
      ['a fault', broken],
      ['the hash of another', another],
    ])('sends those behind one that is answered with %s', async (_, answerTo) => {
      const node = faultyNode(answerTo);
      const { state, sent, faults, dead } = node;
      const spool = spoolOf(0);
      for (const name of ['a', 'bad', 'b', 'c']) spool.put(bundle(name));
      const drain = await sendAllBut(1, spool, node);
      expect({ sent, dead, waiting: spool.waiting }).toEqual({ sent: ['a', 'b', 'c'], dead: [], waiting: 1 });
      expect(String(faults[0])).toContain('sha256:bad');
      state.isRepaired = true;
      await drain.flush(10_000);
      expect({ sent, waiting: spool.waiting }).toEqual({ sent: ['a', 'b', 'c', 'bad'], waiting: 0 });
    });

    it('sends those behind more of them than one request has', async () => {
      const node = faultyNode(broken);
      const { sent, dead } = node;
      const spool = spoolOf(0);
      for (let n = 0; n < 450; n += 1) spool.put(bundle(`bad${n}`));
      spool.put(bundle('a'));
      const drain = await sendAllBut(450, spool, node);
      drain.stop();
      expect({ sent, dead, waiting: spool.waiting }).toEqual({ sent: ['a'], dead: [], waiting: 450 });
    });

    it('registers a project once its call is attested', async () => {
      const node = faultyNode(broken);
      const { state, sent, faults, dead } = node;
      const spool = spoolOf(0);
      for (const text of [bundle('bad'), bundle('a'), project, bundle('b')]) spool.put(text);
      const drain = await sendAllBut(2, spool, node);
      const before = faults.length;
      while (faults.length < before + 5) await drain.flush(1);
      expect({ sent, dead, waiting: spool.waiting }).toEqual({ sent: ['a', 'b'], dead: [], waiting: 2 });
      state.isRepaired = true;
      await drain.flush(10_000);
      expect({ sent, dead }).toEqual({ sent: ['a', 'b', 'bad', 'project'], dead: [] });
    });

    it('asks more and more seldom for a project whose call it has a fault with', async () => {
      const { deps } = faultyNode(broken);
      const silences: number[] = [];
      const spool = spoolOf(0);
      for (const text of [bundle('bad'), project]) spool.put(text);
      const drain = createDrain({
        ...deps,
        timeoutMs: Infinity,
        spools: [spool],
        attest: (texts, patience) => {
          silences.push(patience.timeoutMs);
          return deps.attest(texts, patience);
        },
        register: (text, patience) => {
          silences.push(patience.timeoutMs);
          return deps.register(text, patience);
        },
      });
      while (silences.length < 8) await drain.flush(1);
      drain.stop();
      expect(silences).toEqual(silences.map((_, at) => 2000 * 2 ** at));
    });

    it('asks more and more seldom for one that breaks its requests', async () => {
      const { deps, sent } = faultyNode(broken);
      const silences: number[] = [];
      const spool = spoolOf(0);
      for (const text of [bundle('bad'), bundle('a')]) spool.put(text);
      const drain = createDrain({
        ...deps,
        timeoutMs: Infinity,
        spools: [spool],
        attest: (texts, patience) => {
          if (!texts.includes(bundle('bad'))) return deps.attest(texts, patience);
          if (spool.waiting === 1) silences.push(patience.timeoutMs);
          throw new NodeError('UNREACHABLE', 'the connection was closed');
        },
      });
      while (silences.length < 8) await drain.flush(1);
      drain.stop();
      expect({ silences, sent }).toEqual({ silences: silences.map((_, at) => 2000 * 2 ** at), sent: ['a', 'a'] });
    });

    it('gives up a project that it had a fault with, once its call is refused', async () => {
      const { deps, dead } = faultyNode(broken);
      const answers = [broken(0), broken(0)];
      const spool = spoolOf(0);
      const sealedProject = project.replace('}', ',"integrity":{"projectHash":"sha256:p"}}');
      for (const text of [sealedProject, bundle('a')]) spool.put(text);
      const drain = createDrain({
        ...deps,
        spools: [spool],
        register: async () => answers.shift() ?? { index: 0, status: 400, body: { error: 'ATTESTATION_MISSING' } },
      });
      for (let round = 0; round < 100 && spool.waiting > 0; round += 1) await drain.flush(1);
      drain.stop();
      expect(dead).toEqual([sealedProject, 'ATTESTATION_MISSING']);
    });

    it('keeps their order while it attests none', async () => {
      const { state, sent, faults, deps } = faultyNode((index) => ({ index, status: 503, body: {} }));
      const spool = spoolOf(0);
      const names = Array.from({ length: 300 }, (_, n) => `bad${n}`);
      for (const name of names) spool.put(bundle(name));
      const drain = createDrain({ ...deps, spools: [spool] });
      while (faults.length < 5) await drain.flush(1);
      state.isRepaired = true;
      await drain.flush(10_000);
      expect(sent).toEqual(names);
    });
  });

  it('flushes no longer when the clock is set back', async () => {
    const drain = createDrain({ ...DEPS, spools: [spoolOf(1)], attest: attestNever() });
    const flushed = drain.flush(100);
    const earlier = Date.now() - 3_600_000;
    jest.spyOn(Date, 'now').mockReturnValue(earlier);
    await flushed;
    drain.stop();
  });
});
