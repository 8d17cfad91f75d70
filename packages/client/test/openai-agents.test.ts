import { Agent, OpenAIProvider, Runner, setTracingDisabled, setTraceProcessors, tool } from '@openai/agents';
import { afterEach, describe, expect, it } from '@jest/globals';
import { member } from '@cer/canonical-json';
import * as z from 'zod';

import { COMPLETION, sendJson, type ModelHandler } from './model-server.js';
import { ObservedProgram } from './observed-program.js';

const SECRET = 'the secret of the caller';

let program: ObservedProgram;
afterEach(async () => program.end());

const TOOL_CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'look_up', arguments: JSON.stringify({ city: SECRET }) },
};

/** Asks for the tool first, then answers. */
const answers: ModelHandler = (body, response) => {
  const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly role: string }[] };
  const isAnswered = messages.some(({ role }) => role === 'tool');
  const id = isAnswered ? 'chatcmpl-2' : 'chatcmpl-1';
  const message = isAnswered
    ? { role: 'assistant', content: 'Hello there', refusal: null }
    : { role: 'assistant', content: null, refusal: null, tool_calls: [TOOL_CALL] };
  const finish_reason = isAnswered ? 'stop' : 'tool_calls';
  sendJson(response, { ...COMPLETION, id, choices: [{ index: 0, message, finish_reason, logprobs: null }] });
};

const { fetch: own } = globalThis;
afterEach(() => {
  globalThis.fetch = own;
});

async function answer(): Promise<unknown> {
  const agent = new Agent({
    name: 'Desk',
    instructions: 'Answer.',
    model: 'example-1',
    tools: [
      tool({
        name: 'look_up',
        description: 'the weather of a city',
        parameters: z.object({ city: z.string() }),
        execute: ({ city }) => `sunny in ${city}`,
      }),
    ],
  });
  setTracingDisabled(false);
  setTraceProcessors([program.cer.openaiAgents()]);
  const modelProvider = new OpenAIProvider({ apiKey: 'key', baseURL: `${program.server.url}/v1`, useResponses: false });
  const { finalOutput } = await new Runner({ modelProvider, workflowName: 'case-7' }).run(agent, SECRET);
  return finalOutput;
}

describe('OpenAI Agents', () => {
  it.each([
    ['framework-value', false],
    ['body', true],
  ])('certify a trace as a project with calls as %s', async (outputIs, isFetchObserved) => {
    program = await ObservedProgram.start(answers);
    if (isFetchObserved) globalThis.fetch = program.cer.fetch();
    expect(await answer()).toBe('Hello there');
    const calls = program.calls();
    expect(calls.map(({ snapshot }) => snapshot['model'])).toEqual(['example-1', 'look_up', 'example-1']);
    expect(calls[0]?.payload).toMatchObject({ outcome: 'complete', outputIs });
    const [project, ...others] = program.projects();
    expect(others).toEqual([]);
    expect(project).toMatchObject({
      projectTitle: 'case-7',
      frameworkName: 'openai-agents',
      totalSteps: 3,
      tags: ['outcome:complete', 'calls-begun:3', 'calls-certified:3'],
    });
    const types = member(project ?? {}, 'stepRegistry');
    expect(types).toMatchObject([{ stepType: 'model-call' }, { stepType: 'tool-call' }, { stepType: 'model-call' }]);
    expect(program.stored()).not.toMatch(/the secret of the caller|Hello|sunny/);
    expect(program.observerFaults()).toEqual([]);
    expect(program.cer.stats()).toMatchObject({ seen: 3, open: 0, sealed: 3 });
  });

  it('certify no answer again from before their processor', async () => {
    program = await ObservedProgram.start(answers);
    const body = JSON.stringify({ model: 'example-1', messages: [{ role: 'user', content: SECRET }] });
    const response = await program.cer.fetch()(`${program.server.url}/v1/chat/completions`, { method: 'POST', body });
    await response.text();
    const processor = program.cer.openaiAgents();
    await processor.onTraceStart({ traceId: 'trace-1' });
    const spanData = { type: 'generation', model: 'example-1', input: [], output: [{ id: 'chatcmpl-1' }] };
    await processor.onSpanEnd({ traceId: 'trace-1', error: null, spanData });
    await processor.onSpanEnd({ traceId: 'trace-1', error: null, spanData: { type: 'function', name: 'look_up' } });
    await processor.onTraceEnd({ traceId: 'trace-1' });
    expect(program.calls().map(({ snapshot }) => snapshot['model'])).toEqual(['example-1', 'look_up']);
    expect(program.projects()).toMatchObject([{ tags: ['outcome:complete', 'calls-begun:2', 'calls-certified:1'] }]);
    expect(program.observerFaults()).toEqual([]);
  });
});
