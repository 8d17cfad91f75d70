import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { openCallsOfProcess } from '../src/calls/open-calls.js';
import { ObservedProgram } from './observed-program.js';

const MAX_OPEN = 10_000;
const never = async (): Promise<never> => new Promise(() => undefined);

let program: ObservedProgram;
beforeEach(async () => {
  program = await ObservedProgram.start(() => undefined);
});
afterEach(async () => program.end());

describe('calls whose end a framework never reports', () => {
  it.each<[string, (more: number) => void]>([
    [
      'models of the AI SDK',
      (more) => {
        const telemetry = program.cer.aiSdk();
        for (let at = 0; at < MAX_OPEN + more; at += 1) {
          void telemetry.executeLanguageModelCall({ callId: `c${at}`, execute: never });
        }
      },
    ],
    [
      'embeddings of the AI SDK',
      (more) => {
        const telemetry = program.cer.aiSdk();
        for (let at = 0; at < MAX_OPEN + more; at += 1) telemetry.onEmbedStart({ callId: `e${at}`, values: ['x'] });
      },
    ],
    [
      'models of LangChain',
      (more) => {
        const handler = program.cer.langchain();
        for (let at = 0; at < MAX_OPEN + more; at += 1) handler.handleLLMStart({}, ['x'], `r${at}`);
      },
    ],
    [
      'tools of LangChain',
      (more) => {
        const handler = program.cer.langchain();
        for (let at = 0; at < MAX_OPEN + more; at += 1) handler.handleToolStart({}, 'x', `t${at}`);
      },
    ],
  ])('end as truncated when there are too many: %s', (_, begin) => {
    const { keys } = openCallsOfProcess();
    keys.clear();
    begin(2);
    const seen = MAX_OPEN + 2;
    expect(program.cer.stats()).toMatchObject({ seen, open: MAX_OPEN, sealed: 2, outcomes: { truncated: 2 } });
    expect(keys.size).toBeLessThanOrEqual(MAX_OPEN);
    expect(program.calls().map(({ payload }) => payload['outcome'])).toEqual(['truncated', 'truncated']);
  });

  it('do not keep later calls from being recognised', () => {
    const open = openCallsOfProcess();
    const calls = Array.from({ length: 1001 }, (_, at) => ({ callId: `${at}`, isClaimed: false }));
    for (const call of calls) open.add(call, null, `text ${call.callId}.`);
    expect(open.claim('"text 1000."')).toBe(calls.at(-1));
    expect(open.claim('"text 0."')).toBeNull();
    for (const call of calls) open.remove(call);
  });

  it('are quoted once, not for each request', () => {
    const open = openCallsOfProcess();
    const calls = Array.from({ length: 100 }, (_, at) => ({ callId: `${at}`, isClaimed: false }));
    for (const call of calls) open.add(call, 'model', `text ${call.callId}.`);
    const stringify = jest.spyOn(JSON, 'stringify');
    for (const call of calls) expect(open.claim(`"text ${call.callId}." "model"`)).toBe(call);
    expect(stringify.mock.calls.length).toBeLessThanOrEqual(calls.length);
    stringify.mockRestore();
    for (const call of calls) open.remove(call);
  });
});
