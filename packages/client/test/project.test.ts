import { afterEach, describe, expect, it } from '@jest/globals';
import { member, parseJson } from '@cer/canonical-json';
import { evaluateProject } from '@cer/cer-core/verify';
import OpenAI from 'openai';

import { COMPLETION, sendJson, startModelServer, type ModelHandler } from './model-server.js';
import { objectIn, ObservedProgram } from './observed-program.js';

const SECRET = 'the secret of the caller';
const answers: ModelHandler = (_, response) => {
  sendJson(response, COMPLETION);
};

let program: ObservedProgram;
afterEach(async () => program.end());

function client(): OpenAI {
  return program.cer.openai(new OpenAI({ apiKey: 'key', baseURL: `${program.server.url}/v1`, maxRetries: 0 }));
}

const ask = async (openai: OpenAI): Promise<unknown> =>
  openai.chat.completions.create({ model: 'example-1', messages: [{ role: 'user', content: SECRET }] });

describe('a tool', () => {
  it('keeps its results and errors and certifies each call', async () => {
    program = await ObservedProgram.start(answers);
    const { cer } = program;
    const fault = new TypeError(SECRET);
    const added = cer.tool('add', (a: number, b: number) => a + b);
    const later = cer.tool('later', async (text: string) => Promise.resolve(text));
    const fails = cer.tool('fails', () => {
      throw fault;
    });
    const rejects = cer.tool('rejects', async () => Promise.reject(fault));
    expect(added(1, 2)).toBe(3);
    expect(await later(SECRET)).toBe(SECRET);
    expect(() => fails()).toThrow(fault);
    await expect(rejects()).rejects.toBe(fault);
    expect(program.calls().map(({ snapshot, payload }) => [snapshot['model'], payload['outcome']])).toEqual([
      ['add', 'complete'],
      ['later', 'complete'],
      ['fails', 'failed'],
      ['rejects', 'failed'],
    ]);
    expect(program.stored()).not.toContain(SECRET);
  });

  it('runs although its arguments have no JSON', async () => {
    program = await ObservedProgram.start(answers);
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(program.cer.tool('same', (value: unknown) => value)(loop)).toBe(loop);
    expect(program.cer.stats()).toMatchObject({ seen: 1, unsealed: 1, sealed: 0 });
  });

  it('keeps its receiver', async () => {
    program = await ObservedProgram.start(answers);
    const desk = {
      name: 'desk',
      say: program.cer.tool('say', function (this: { readonly name: string }) {
        return this.name;
      }),
    };
    expect(desk.say()).toBe('desk');
  });
});

describe('a client', () => {
  it('sends what waits at the end of a block with await using', async () => {
    const node = await startModelServer((body, response) => {
      response.end(`{"index":0,"status":200,"body":${body.trimEnd()}}\n`);
    });
    program = await ObservedProgram.start(answers, { nodeUrl: node.url });
    const { cer } = program;
    {
      await using client = cer;
      client.tool('kept', () => 'kept')();
    }
    expect(cer.stats()).toMatchObject({ sealed: 1, attested: 1, waiting: 0 });
    await node.close();
  });
});

describe('a project', () => {
  it('has only the calls that its work made', async () => {
    program = await ObservedProgram.start(answers);
    const openai = client();
    const lookUp = program.cer.tool('look_up', async (city: string) => Promise.resolve({ city, sky: 'clear' }));
    await ask(openai);
    const result = await program.cer.run({ project: 'case-7' }, async () => {
      await Promise.all([ask(openai), lookUp('Lisbon')]);
      await ask(openai);
      return 'done';
    });
    expect(result).toBe('done');
    const [project] = program.projects();
    expect(program.calls()).toHaveLength(4);
    expect(project).toMatchObject({
      projectTitle: 'case-7',
      totalSteps: 3,
      tags: ['outcome:complete', 'calls-begun:3', 'calls-certified:3'],
    });
    const registry = member(project ?? {}, 'stepRegistry');
    expect(registry).toMatchObject([
      // The SDK sends its request in a later turn than the one that calls the tool.
      { stepType: 'tool-call', stepLabel: 'look_up' },
      { stepType: 'model-call', stepLabel: 'example-1' },
      { stepType: 'model-call', stepLabel: 'example-1' },
    ]);
    expect(await evaluateProject(project ?? {}, { verifiedAt: new Date().toISOString() })).toMatchObject({
      status: 'VERIFIED',
      structuralValid: true,
      totalSteps: 3,
    });
    expect(program.stored()).not.toContain(SECRET);
  });

  it('is sealed when its work fails, with the same error', async () => {
    program = await ObservedProgram.start(answers);
    const fault = new Error('the work failed');
    const openai = client();
    const running = program.cer.run({ project: 'case-8' }, async () => {
      await ask(openai);
      throw fault;
    });
    await expect(running).rejects.toBe(fault);
    expect(program.projects()).toMatchObject([{ tags: ['outcome:failed', 'calls-begun:1', 'calls-certified:1'] }]);
  });

  it('shows that a call has no certificate', async () => {
    program = await ObservedProgram.start(answers, { protocol: '1.2.0' });
    const unsealable = program.cer.tool('unsealable', () => {
      const loop: unknown[] = [];
      loop.push(loop);
      return loop;
    });
    await program.cer.run({ project: 'case-9' }, () => [program.cer.tool('kept', () => 'kept')(), unsealable()]);
    expect(program.projects()).toMatchObject([{ tags: ['outcome:complete', 'calls-begun:2', 'calls-certified:1'] }]);
  });

  it('takes no further call when it is over', async () => {
    program = await ObservedProgram.start(answers);
    const tool = program.cer.tool('later', async (text: string) => Promise.resolve(text));
    let next = (): void => undefined;
    const told = new Promise<void>((resolve) => (next = resolve));
    const outliving = program.cer.run({ project: 'case-10' }, async () => {
      await tool('within');
      return [told.then(async () => tool('after'))] as const;
    });
    const [left] = await outliving;
    next();
    expect(await left).toBe('after');
    expect(program.calls()).toHaveLength(2);
    expect(program.projects()).toMatchObject([{ totalSteps: 1, tags: expect.arrayContaining(['calls-begun:1']) }]);
  });

  it('has the calls of work that outlives a project within it', async () => {
    program = await ObservedProgram.start(answers);
    const tool = program.cer.tool('later', async (text: string) => Promise.resolve(text));
    await program.cer.run({ project: 'outer' }, async () => {
      let next = (): void => undefined;
      const told = new Promise<void>((resolve) => (next = resolve));
      const [left] = await program.cer.run({ project: 'inner' }, async () => {
        await tool('within');
        return [told.then(async () => tool('after'))] as const;
      });
      next();
      await left;
    });
    expect(program.projects()).toMatchObject([
      { projectTitle: 'inner', totalSteps: 1 },
      { projectTitle: 'outer', totalSteps: 1, tags: expect.arrayContaining(['calls-begun:1']) },
    ]);
  });

  it.each([302, 404, 405])('waits while something before the node answers its registration with %s', async (status) => {
    let isNode = false;
    const node = await startModelServer((body, response, request) => {
      const results = body
        .trimEnd()
        .split('\n')
        .map((line, index) => `${JSON.stringify({ index, status: 200, body: parseJson(line) })}\n`)
        .join('');
      if (request.url === '/api/attest-batch') response.end(results);
      else if (isNode) sendJson(response, objectIn(parseJson(body), 'integrity'));
      else response.writeHead(status, { location: '/' }).end('<h1>Maintenance</h1>');
    });
    program = await ObservedProgram.start(answers, { nodeUrl: node.url });
    const tool = program.cer.tool('kept', () => 'kept');
    await program.cer.run({ project: 'case-12' }, () => tool());
    await program.cer.flush({ timeoutMs: 200 });
    expect(program.cer.stats()).toMatchObject({ attested: 1, projects: 0, dead: 0, waiting: 1 });
    isNode = true;
    await program.cer.flush();
    expect(program.cer.stats()).toMatchObject({ projects: 1, dead: 0, waiting: 0 });
    await node.close();
  });

  it('is no call where it is not stored', async () => {
    program = await ObservedProgram.start(answers, { maxSpoolBytes: 1500 });
    const tool = program.cer.tool('kept', () => 'kept');
    await program.cer.run({ project: 'case-11' }, () => tool());
    expect(program.cer.stats()).toMatchObject({ seen: 1, sealed: 1, dropped: 0 });
    expect(program.faults.map(String)).toContain('Error: a project was not stored: the spool is full');
  });

  it.each([
    ['x'.repeat(300), 'x'.repeat(256)],
    ['', 'unnamed'],
  ])('has a title that is a label', async (title, expected) => {
    program = await ObservedProgram.start(answers);
    await program.cer.run({ project: title }, () => program.cer.tool('kept', () => 'kept')());
    expect(program.projects()).toMatchObject([{ projectTitle: expected }]);
  });

  it('without calls makes no bundle', async () => {
    program = await ObservedProgram.start(answers);
    expect(await program.cer.run({ project: 'empty' }, () => 7)).toBe(7);
    expect(program.projects()).toEqual([]);
  });
});
