import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { jcsV1, parseJson, type JsonObject } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { executionRequestFaults, sealExecution } from '@cer/cer-core/seal';
import {
  asConfidential,
  describeChatCompletion,
  describeMessages,
  type ModelCall,
} from '../../../examples/calls/describe.mjs';

const FOLDER = join(__dirname, '..', '..', '..', 'examples', 'calls');
const FACTS = { executionId: 'call-1', provider: 'example' };

function call(name: string): ModelCall & { readonly synthetic: string } {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as ModelCall & { readonly synthetic: string };
}

function snapshotOf(description: JsonObject): unknown {
  const given = { createdAt: '2026-01-01T00:00:00.000Z', timestamp: null, executionId: 'none' };
  const saltsFor = () => ({ input: new Uint8Array(32), output: new Uint8Array(32) });
  return sealExecution(description, { ...given, saltsFor }).bundle['snapshot'];
}

describe('examples/calls', () => {
  it.each(['chat-completion-tools', 'messages-multipart', 'chat-completion-long'])('%s is called synthetic', (name) => {
    expect(call(name).synthetic).toMatch(/^Synthetic: .*No model was called/);
    expect(() => parseJson(readFileSync(join(FOLDER, `${name}.json`)))).not.toThrow();
  });

  it('describes a chat completion with messages, tools and every choice', () => {
    const model = call('chat-completion-tools');
    const description = describeChatCompletion(model, FACTS);
    expect(executionRequestFaults(description)).toEqual([]);
    const { messages, tools, tool_choice } = model.request;
    expect(snapshotOf(description)).toMatchObject({
      executionId: 'call-1',
      timestamp: '2026-01-02T03:04:05.000Z',
      parameters: { temperature: 0.2, maxTokens: 512, topP: 1, seed: 7 },
      inputHash: hashValue({ messages, tools, tool_choice }, jcsV1, 'input'),
      outputHash: hashValue(model.response['choices'] ?? null, jcsV1, 'output'),
    });
  });

  it('gives two answers with one id separate execution ids', () => {
    const model = call('chat-completion-tools');
    const described = ['call-1', 'call-2'].map((executionId) =>
      describeChatCompletion(model, { ...FACTS, executionId }),
    );
    expect(described.map(snapshotOf)).toMatchObject([{ executionId: 'call-1' }, { executionId: 'call-2' }]);
    expect(described).toMatchObject(Array(2).fill({ metadata: { responseId: 'chatcmpl-synthetic-0001' } }));
  });

  it('describes a messages call with all its parts', () => {
    const model = call('messages-multipart');
    const description = describeMessages(model, { ...FACTS, at: '2026-01-02T04:04:05.000Z' });
    expect(executionRequestFaults(description)).toEqual([]);
    const { system, messages, tools } = model.request;
    expect(snapshotOf(description)).toMatchObject({
      parameters: { temperature: 0, maxTokens: 1024 },
      inputHash: hashValue({ system, messages, tools }, jcsV1, 'input'),
      outputHash: hashValue(model.response['content'] ?? null, jcsV1, 'output'),
    });
  });

  it('describes a long multilingual call as confidential', () => {
    const model = call('chat-completion-long');
    const description = asConfidential(describeChatCompletion(model, FACTS), 'Summarise legal minutes.');
    expect(executionRequestFaults(description)).toEqual([]);
    const snapshot = JSON.stringify(snapshotOf(description));
    expect(JSON.stringify(model)).toContain('👩‍👩‍👧‍👦');
    expect(snapshot).toContain('"scheme":"hmac-sha256-v1"');
    expect(snapshot).not.toMatch(/Müller|議事録|👩/u);
  });
});
