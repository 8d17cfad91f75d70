import { describe, expect, it } from '@jest/globals';
import { foldMessages } from '../src/observe/anthropic-messages.js';
import { foldCohere } from '../src/observe/cohere-chat.js';
import { BodyHash } from '../src/observe/body-hash.js';
import { Exchange, type Ended } from '../src/observe/exchange.js';
import type { Fold } from '../src/observe/fold.js';
import { foldGemini } from '../src/observe/google-gemini.js';
import { foldOllama } from '../src/observe/ollama.js';
import { foldChat } from '../src/observe/openai-chat.js';
import { foldResponses } from '../src/observe/openai-responses.js';
import { platform } from '../src/platform/node.js';
import { events, messageEvents } from './model-server.js';

const LIMIT = 64 * 1024;
const WORDS = Array<string>(200).fill('x'.repeat(1000));
const event = (members: object): string => `data: ${JSON.stringify(members)}\n\n`;
const RESPONSE = [
  ...WORDS.map((delta) => event({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta })),
  event({ type: 'response.completed', response: { id: 'resp_1', status: 'completed' } }),
];
const GEMINI = WORDS.map((text, index) =>
  event({
    candidates: [{ content: { parts: [{ text }] }, ...(index + 1 === WORDS.length && { finishReason: 'STOP' }) }],
  }),
);
const COHERE = [
  ...WORDS.map((text) => event({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } })),
  event({ type: 'message-end', delta: { finish_reason: 'COMPLETE' } }),
];
const OLLAMA = [
  ...WORDS.map((content) => `${JSON.stringify({ message: { content }, done: false })}\n`),
  `${JSON.stringify({ message: { content: '' }, done: true })}\n`,
];

describe('a streamed answer over the limit of content', () => {
  it.each<[string, Fold, readonly string[], string?]>([
    ['chat completions', foldChat(), events(...WORDS)],
    ['messages', foldMessages(), messageEvents(...WORDS)],
    ['responses', foldResponses(), RESPONSE],
    ['Gemini', foldGemini(), GEMINI],
    ['Cohere', foldCohere(), COHERE],
    ['Ollama', foldOllama(), OLLAMA, 'application/x-ndjson'],
  ])('is followed to its end and not kept: %s', (_, fold, stream, type = 'text/event-stream') => {
    const ended: Ended[] = [];
    const call = {
      url: new URL('http://models.test'),
      body: null,
      model: null,
      fold: () => fold,
      attempt: 0,
      signal: null,
    };
    const response = new Response('', { headers: { 'content-type': type } });
    const exchange = new Exchange(call, response, {
      maxContentBytes: LIMIT,
      hash: new BodyHash(platform),
      ended: (end) => ended.push(end),
    });
    let largest = 0;
    for (const text of stream) {
      exchange.handOn(new TextEncoder().encode(text));
      largest = Math.max(largest, JSON.stringify(fold.answer()).length);
    }
    exchange.end();
    expect(ended).toMatchObject([{ outcome: 'complete', output: null }]);
    expect(largest).toBeLessThan(2 * LIMIT);
  });
});
