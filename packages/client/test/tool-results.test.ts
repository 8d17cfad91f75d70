import { afterEach, describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import createKnex, { type Knex } from 'knex';
import OpenAI from 'openai';

import { COMPLETION, sendJson, type ModelHandler } from './model-server.js';
import { collected, hashOf, ObservedProgram, readAll } from './observed-program.js';

const answers: ModelHandler = (_, response) => {
  sendJson(response, COMPLETION);
};

let program: ObservedProgram;
afterEach(async () => program.end());

/** What the certificates say: how the calls ended, and the hash of their output. */
const ends = (): unknown[] =>
  program.calls().map(({ payload, snapshot }) => [payload['outcome'], snapshot['outputHash']]);

describe('a tool that returns a lazy query', () => {
  let database: Knex;
  let ran: string[];

  async function rows(): Promise<(name: string) => Knex.QueryBuilder> {
    program = await ObservedProgram.start(answers);
    ran = [];
    database = createKnex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true });
    await database.schema.createTable('cities', (table) => table.string('name'));
    await database('cities').insert([{ name: 'Lisbon' }, { name: 'Porto' }]);
    database.on('query', ({ sql }: { readonly sql: string }) => ran.push(sql));
    return program.cer.tool('rows', (name) => database(name));
  }
  afterEach(async () => database.destroy());

  it('is certified by the rows of the query that the program runs', async () => {
    const query = await rows();
    const all = query('cities');
    expect([ran, program.cer.stats().open]).toEqual([[], 1]);
    const some = all.where({ name: 'Porto' });
    expect(some).toBe(all);
    expect(await some).toEqual([{ name: 'Porto' }]);
    expect(ran).toEqual(['select * from `cities` where `name` = ?']);
    expect(ends()).toEqual([['complete', hashOf([{ name: 'Porto' }])]]);
  });

  it('is counted when the program drops the query', async () => {
    const query = await rows();
    (() => void query('cities'))();
    await collected(() => program.cer.stats().open === 0);
    expect(ran).toEqual([]);
    expect(program.cer.stats()).toMatchObject({ seen: 1, sealed: 0, unsealed: 1 });
  });

  it('is certified as failed when the query fails', async () => {
    const query = await rows();
    const seen: unknown = await query('nowhere').then(
      () => null,
      (error: unknown) => error,
    );
    // In a process of several suites the errors of SQLite are of the first one's realm.
    const passedOn: unknown = await query('nowhere')
      .then(() => null)
      .catch((error: unknown) => error);
    expect([String(seen), String(passedOn)]).toEqual([
      expect.stringContaining('no such table'),
      expect.stringContaining('no such table'),
    ]);
    expect(ends()).toEqual([
      ['failed', hashOf({})],
      ['failed', hashOf({})],
    ]);
  });
});

describe('a tool', () => {
  it('has the name, the length and the members of its function', async () => {
    program = await ObservedProgram.start(answers);
    const look = (city: string, day: string): string => city + day;
    Object.assign(look, { description: 'The weather' });
    const tool = program.cer.tool('weather', look);
    expect([tool.name, tool.length, Object.entries(tool)]).toEqual(['look', 2, [['description', 'The weather']]]);
    expect(tool('Lisbon', ', May')).toBe('Lisbon, May');
    const hidden = new Proxy(look, {
      ownKeys: () => {
        throw new Error('a trap of the program');
      },
    });
    expect(program.cer.tool('weather', hidden)('Lisbon', ', May')).toBe('Lisbon, May');
  });

  it('returns what an SDK returns, with its methods', async () => {
    program = await ObservedProgram.start(answers);
    const openai = new OpenAI({ apiKey: 'key', baseURL: `${program.server.url}/v1`, maxRetries: 0 });
    const ask = program.cer.tool('ask', (model: string) => openai.chat.completions.create({ model, messages: [] }));
    const { data, response } = await ask('example-1').withResponse();
    expect([data.choices[0]?.message.content, response.status]).toEqual(['Hello there', 200]);
    expect((await ask('example-1')).choices).toHaveLength(1);
    expect(ends()).toEqual([['complete', hashOf(COMPLETION)]]);
  });

  it('keeps the members of a promise', async () => {
    program = await ObservedProgram.start(answers);
    const text = Object.assign(Promise.resolve('{"sky":"clear"}'), { json: async () => ({ sky: 'clear' }) });
    const get = program.cer.tool('get', () => text);
    expect([await get().json(), await get()]).toEqual([{ sky: 'clear' }, '{"sky":"clear"}']);
  });

  it('may return the same lazy result thousands of times', async () => {
    program = await ObservedProgram.start(answers);
    let asked = 0;
    const lazy: PromiseLike<string> = {
      then: (onValue, onError) => {
        asked += 1;
        return Promise.resolve('value').then(onValue, onError);
      },
    };
    const cached = program.cer.tool('cached', () => lazy);
    for (let at = 0; at < 12_000; at += 1) expect(cached()).toBe(lazy);
    expect(asked).toBe(0);
    expect([await lazy, asked]).toEqual(['value', 1]);
    expect(program.cer.stats()).toMatchObject({ open: 0, sealed: 12_000, outcomes: { complete: 12_000 } });
  });

  it('reads no getter of a result', async () => {
    program = await ObservedProgram.start(answers);
    let reads = 0;
    const odd = Object.defineProperty({}, 'then', { get: () => void (reads += 1) });
    expect(program.cer.tool('odd', () => odd)()).toBe(odd);
    expect(reads).toBe(0);
    expect(program.cer.stats()).toMatchObject({ seen: 1, open: 0, unsealed: 1 });
  });
});

describe('a tool that generates', () => {
  it('is certified by the values that the program takes', async () => {
    program = await ObservedProgram.start(answers);
    const { cer } = program;
    const count = cer.tool('count', function* (to: number) {
      for (let at = 1; at <= to; at += 1) yield { at };
      return to;
    });
    const words = cer.tool('words', async function* (first: string, second: string) {
      yield* [first, second];
    });
    const later = cer.tool('later', async () => [1, 2].values());
    expect([...count(2)]).toEqual([{ at: 1 }, { at: 2 }]);
    expect(await readAll(words('Hel', 'lo'))).toEqual(['Hel', 'lo']);
    expect([...(await later())]).toEqual([1, 2]);
    expect(ends()).toEqual([
      ['complete', hashOf({ yielded: [{ at: 1 }, { at: 2 }], returned: 2 })],
      ['complete', hashOf(['Hel', 'lo'])],
      ['complete', hashOf([1, 2])],
    ]);
  });

  it('is certified as failed with the values before its error', async () => {
    program = await ObservedProgram.start(answers);
    const fault = new Error('late');
    const fails = program.cer.tool('fails', async function* () {
      yield 'a';
      throw fault;
    });
    await expect(readAll(fails())).rejects.toBe(fault);
    expect(ends()).toEqual([['failed', hashOf(['a'])]]);
  });

  it('is certified as aborted when the program leaves it', async () => {
    program = await ObservedProgram.start(answers);
    const endless = function* (): Generator<number> {
      for (let at = 0; ; at += 1) yield at;
    };
    const count = program.cer.tool('count', endless);
    const countLater = program.cer.tool('count', async function* () {
      yield* endless();
    });
    for (const at of count()) if (at === 2) break;
    for await (const at of countLater()) if (at === 1) break;
    (() => void count().next())();
    await collected(() => program.cer.stats().open === 0);
    expect(ends()).toEqual([
      ['aborted', hashOf([0, 1, 2])],
      ['aborted', hashOf([0, 1])],
      ['aborted', hashOf([0])],
    ]);
  });

  it('is not certified by more values than fit in memory', async () => {
    program = await ObservedProgram.start(answers);
    const large = program.cer.tool('large', function* () {
      for (let at = 0; at < 9; at += 1) yield 'x'.repeat(1024 * 1024);
    });
    expect([...large()]).toHaveLength(9);
    expect(program.cer.stats()).toMatchObject({ seen: 1, open: 0, unsealed: 1, sealed: 0 });
  });

  it('keeps what the program sends in, and its order', async () => {
    program = await ObservedProgram.start(answers);
    const echo = program.cer.tool('echo', function* (): Generator<unknown, string, unknown> {
      try {
        yield yield 'first';
      } finally {
        yield 'cleanup';
      }
      return 'end';
    });
    const steps = echo();
    expect([steps.next(), steps.next('sent'), steps.return('left'), steps.next()]).toEqual([
      { value: 'first', done: false },
      { value: 'sent', done: false },
      { value: 'cleanup', done: false },
      { value: 'left', done: true },
    ]);
    expect(Object.keys(steps)).toEqual([]);
  });
});

describe('a result without JSON', () => {
  it.each<readonly [string, () => unknown]>([
    ['a map', () => new Map([['a', 1]])],
    ['a set in a list', () => [new Set([1])]],
    ['a response', () => new Response('hello')],
    ['a stream', () => new ReadableStream()],
    ['a promise in an object', () => ({ rows: Promise.resolve(1) })],
    ['bytes of another kind', () => new ArrayBuffer(2)],
    ['a function', () => () => 1],
    ['a value of a generator', () => [new Map()].values()],
    ['a frozen generator', () => Object.freeze([1].values())],
  ])('is counted, not certified: %s', async (_, make) => {
    program = await ObservedProgram.start(answers);
    const made = make();
    expect(program.cer.tool('made', () => made)()).toBe(made);
    const later = await program.cer.tool('made', async () => make())();
    for (const one of [made, later]) if (isIterator(one)) while (one.next().done !== true);
    expect(program.cer.stats()).toMatchObject({ seen: 2, open: 0, sealed: 0, unsealed: 2 });
  });

  it('leaves values that JSON holds certified', async () => {
    program = await ObservedProgram.start(answers);
    class City {
      readonly name = 'Lisbon';
    }
    const held: unknown[] = [
      new City(),
      new Date(0),
      new URL('http://a/'),
      {},
      Object.create(null),
      Uint8Array.of(1),
      1n,
      null,
    ];
    program.cer.tool('held', () => held)();
    const city = { name: 'Lisbon' };
    expect(ends()).toEqual([
      ['complete', hashOf([city, '1970-01-01T00:00:00.000Z', 'http://a/', {}, {}, 'AQ==', '1', null])],
    ]);
  });
});

function isIterator(value: unknown): value is Iterator<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value;
}

describe('arguments that JSON does not hold', () => {
  it('are named, since the certificate does not bind them', async () => {
    program = await ObservedProgram.start(answers);
    const tool = program.cer.tool('weather', (...args: readonly unknown[]) => args.length);
    class Place {
      readonly #name = 'Lisbon';
      toString(): string {
        return this.#name;
      }
    }
    const query = { then: () => undefined };
    const { signal } = new AbortController();
    tool('Lisbon', { signal, map: new Map([['city', 'Lisbon']]) }, new Set([1]), new Place(), query);
    tool('Lisbon', { days: [1, 2] }, () => 0, new Date(0), new Uint8Array(2), Object.create(null), undefined, 1n);
    const facts = program.calls().map(({ payload }) => payload['inputWithout']);
    expect(facts).toEqual([['AbortSignal', 'Map', 'Set', 'Object'], undefined]);
  });

  it('are named by names only, not by text that a program states', async () => {
    program = await ObservedProgram.start(answers);
    const tool = program.cer.tool('weather', (...args: readonly unknown[]) => args.length);
    const tagged = (tag: string): object => ({ [Symbol.toStringTag]: tag, then: () => undefined });
    tool(tagged('the card 4111 1111'));
    tool(tagged(`${'x'.repeat(63)}😀`));
    tool([1].values());
    expect(program.observerFaults()).toEqual([]);
    expect(program.calls().map(({ payload }) => payload['inputWithout'])).toEqual([
      ['Object'],
      ['Object'],
      ['Array Iterator'],
    ]);
  });

  it('are named and not bound where they have members', async () => {
    program = await ObservedProgram.start(answers);
    const tool = program.cer.tool('weather', (...args: readonly unknown[]) => args.length);
    const query: Record<string, unknown> = { city: 'Lisbon', then: () => undefined };
    query['self'] = query;
    tool(
      Readable.from(['Lisbon']),
      Object.assign(new Map(), { city: 'Lisbon' }),
      query,
      new DataView(new ArrayBuffer(2)),
    );
    expect(program.observerFaults()).toEqual([]);
    expect(program.calls().map(({ payload, snapshot }) => [payload['inputWithout'], snapshot['inputHash']])).toEqual([
      [['Object', 'Map', 'DataView'], hashOf([{}, {}, {}, {}])],
    ]);
  });
});
