import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { COMPLETION, sendJson } from './model-server.js';
import { ObservedProgram } from './observed-program.js';

type Fetch = typeof fetch;

let program: ObservedProgram;
beforeEach(async () => {
  program = await ObservedProgram.start((_, response) => {
    sendJson(response, COMPLETION);
  });
});
afterEach(async () => program.end());

describe('a call repeated by fetch is certified once', () => {
  // The first of them is the only observer of its process.
  it.each<[string, (outer: Fetch) => Fetch]>([
    ['by the same observed fetch', (outer) => outer],
    ['by another observed fetch', () => program.cer.fetch()],
  ])('%s', async (_, inner) => {
    const fetches = [fetch];
    const observed = program.cer.fetch({
      fetch: async (...request) => {
        await Promise.resolve();
        return (fetches.pop() ?? fetch)(...request);
      },
    });
    fetches.push(inner(observed));
    const body = JSON.stringify({ model: 'example-1', messages: [] });
    const answer = await observed(`${program.server.url}/v1/chat/completions`, { method: 'POST', body });
    expect(await answer.json()).toEqual(COMPLETION);
    expect(program.cer.stats()).toMatchObject({ seen: 1, sealed: 1 });
    expect(program.calls()).toHaveLength(1);
  });
});
