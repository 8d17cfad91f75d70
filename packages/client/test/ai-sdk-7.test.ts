import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { ClientBundle } from './client-bundle.js';
import { COMPLETION, events, sendJson, startStream, type ModelHandler } from './model-server.js';
import { NODE_DOWN, ObservedProgram } from './observed-program.js';

const bundle = new ClientBundle();
let client: string;
let register: string;
let program: ObservedProgram;
beforeAll(async () => {
  client = await bundle.of('index');
  register = await bundle.of('register');
});
afterAll(() => {
  bundle.remove();
});
afterEach(async () => program.end());

const [choice] = COMPLETION.choices;
const OBJECT = {
  ...COMPLETION,
  choices: [{ ...choice, message: { role: 'assistant', content: '{"city":"Lisbon"}' } }],
};

const answers: ModelHandler = (body, response, request) => {
  const { model, stream } = JSON.parse(body) as { readonly model: string; readonly stream?: boolean };
  if (request.url?.endsWith('/embeddings') === true) {
    sendJson(response, { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }] });
  } else if (model.startsWith('refused')) sendJson(response, { error: { message: 'refused', code: 'slow_down' } }, 400);
  else if (model === 'objects') sendJson(response, OBJECT);
  else if (model === 'streams objects') {
    startStream(response);
    response.end(events('{"city":', '"Lisbon"}').join(''));
  } else if (stream === true) {
    startStream(response);
    const sent = events('Hel', 'lo ', 'there');
    if (model === 'stalls') for (const event of sent.slice(0, 2)) response.write(event);
    else response.end(sent.join(''));
  } else sendJson(response, COMPLETION);
};

interface Said {
  readonly stats: object;
  readonly faults: readonly string[];
}

/** @param imports modules that are imported before the program */
async function run(env: Readonly<Record<string, string>>, imports: readonly string[] = []): Promise<Said> {
  program = await ObservedProgram.start(answers, { spoolDir: null });
  const args = [...imports.flatMap((module) => ['--import', module]), join(__dirname, 'apps/ai-7.mjs')];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env: {
      PATH: process.env['PATH'] ?? '',
      CLIENT: client,
      MODEL_URL: `${program.server.url}/v1`,
      CER_NODE_URL: NODE_DOWN,
      CER_SPOOL_DIR: program.dir,
      ...env,
    },
  });
  expect(stderr).toBe('');
  const said = JSON.parse(stdout) as Said;
  expect(said).toMatchObject({
    text: 'Hello there',
    streamed: 'Hello there',
    refused: 400,
    embedding: [0.5, 0.25],
    objects: [{ city: 'Lisbon' }, { city: 'Lisbon' }, 400],
    rank: 0.5,
  });
  expect(said.faults.filter((fault) => !fault.includes('the node cannot be reached'))).toEqual([]);
  return said;
}

const MODELS = [
  ...['answers', 'streams', 'refused', 'stalls', 'embeds'],
  ...['objects', 'streams objects', 'refused object', 'ranks'],
];
const ALL_SEALED = { seen: 9, open: 0, sealed: 9 };
/** Models whose calls are reported by an event, not around their work. */
const EVENTS: ReadonlySet<unknown> = new Set(['embeds', 'objects', 'streams objects', 'refused object']);
const HIDE_FETCH = 'data:text/javascript,globalThis.hiddenFetch=fetch';

describe('the AI SDK 7', () => {
  it('has the calls of every model certified', async () => {
    expect((await run({})).stats).toMatchObject(ALL_SEALED);
    const calls = program.calls();
    expect(calls.map(({ snapshot, payload }) => [snapshot['model'], payload['outcome']])).toEqual([
      ['answers', 'complete'],
      ['streams', 'complete'],
      ['refused', 'failed'],
      ['stalls', 'aborted'],
      ['embeds', 'complete'],
      ['objects', 'complete'],
      ['streams objects', 'complete'],
      ['refused object', 'failed'],
      ['ranks', 'complete'],
    ]);
    expect(calls[5]?.snapshot).toMatchObject({ parameters: { temperature: 0.25, maxTokens: 64 } });
    expect(calls[7]?.payload).toMatchObject({ httpStatus: 400 });
    expect(calls[0]?.snapshot).toMatchObject({ parameters: { temperature: 0.25, maxTokens: 64 } });
    expect(program.stored()).not.toMatch(/the secret|Hello/);
  });

  it('certifies a call once whose fetch is observed too', async () => {
    expect((await run({ FETCH: 'observed' })).stats).toMatchObject(ALL_SEALED);
    expect(program.calls().map(({ payload }) => payload['outputIs'])).toEqual([
      'body',
      'folded-stream',
      'body',
      'folded-stream',
      'body',
      'body',
      'folded-stream',
      'body',
      'framework-value',
    ]);
  });

  it.each(['global', 'observed'])(
    'has one certificate for a call that a middleware sees too, fetch %s',
    async (kind) => {
      expect((await run({ FETCH: kind, MIDDLEWARE: 'yes' })).stats).toMatchObject(ALL_SEALED);
      expect(program.calls().map(({ snapshot }) => snapshot['model'])).toEqual(MODELS);
    },
  );

  it.each([
    ['whose fetch is observed', 'observed', ['tests', 'tests'], 'body'],
    ['whose provider calls the global fetch', 'global', ['desk', 'desk'], 'body'],
    // Integrations are called in their order where a call is an event, and in the reverse one around other calls.
    ['whose requests no observer sees', 'hidden', ['tests', 'desk'], 'framework-value'],
  ])('has one certificate for a call %s, beside the registration', async (_, kind, [appId, ofEvents], outputIs) => {
    const { stats } = await run({ FETCH: kind, CER_APP_ID: 'desk' }, [HIDE_FETCH, register]);
    const calls = program.calls();
    expect(calls.map(({ snapshot }) => snapshot['model']).toSorted()).toEqual(MODELS.toSorted());
    for (const { snapshot, payload } of calls) {
      const { model } = snapshot;
      // The ranking model makes no request.
      if (model === 'ranks') expect(snapshot['appId']).toBe('desk');
      else expect(snapshot['appId']).toBe(EVENTS.has(model) ? ofEvents : appId);
      if (snapshot['model'] === 'answers') expect(payload['outputIs']).toBe(outputIs);
    }
    const sealed = calls.filter(({ snapshot }) => snapshot['appId'] === 'tests').length;
    expect(stats).toMatchObject({ seen: sealed, open: 0, sealed });
  });
});
