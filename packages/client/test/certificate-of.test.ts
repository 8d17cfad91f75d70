import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { afterEach, describe, expect, it } from '@jest/globals';
import { textOf } from '../src/json.js';
import { Ollama } from 'ollama';
import OpenAI from 'openai';

import type { CertificatesOptions, Redaction } from '../src/index.js';
import {
  COMPLETION,
  events,
  MESSAGE,
  messageEvents,
  sendJson,
  startStream,
  type ModelHandler,
} from './model-server.js';
import { hashOf, ObservedProgram, readAll } from './observed-program.js';

const params = { model: 'example-1', messages: [{ role: 'user' as const, content: 'Where to in May?' }] };

let program: ObservedProgram;
afterEach(async () => program.end());

async function openai(handler: ModelHandler, options: Partial<CertificatesOptions> = {}): Promise<OpenAI> {
  program = await ObservedProgram.start(handler, options);
  return program.cer.openai(new OpenAI({ apiKey: 'key', baseURL: `${program.server.url}/v1`, maxRetries: 0 }));
}

const sealed = (at: number): object => {
  const { bundle, snapshot } = program.calls()[at] ?? { bundle: {}, snapshot: {} };
  return { executionId: textOf(snapshot, 'executionId'), certificateHash: textOf(bundle, 'certificateHash') };
};

const json: ModelHandler = (_, response) => {
  sendJson(response, COMPLETION);
};
const ask = (url: string): Parameters<typeof fetch> => [url, { method: 'POST', body: JSON.stringify(params) }];

describe('the certificate of an answer', () => {
  it('is known when a program has it, while no node is there', async () => {
    const client = await openai(json);
    const answer = await client.chat.completions.create(params);
    expect(program.cer.of(answer)).toEqual(sealed(0));
    expect(program.cer.of(COMPLETION.id)).toEqual(sealed(0));
  });

  it('is that of the call, where a server gives every answer the same id', async () => {
    const client = await openai(json);
    const answers = await Promise.all([1, 2, 3].map(async () => client.chat.completions.create(params)));
    const found = answers.map((answer) => program.cer.of(answer)?.executionId);
    expect(new Set(found).size).toBe(3);
    expect(found).not.toContain(undefined);
    // Neither says which answer it is of.
    expect([program.cer.of(COMPLETION.id), program.cer.of(COMPLETION)]).toEqual([null, null]);
  });

  it('is found by a part of a stream, once the stream was read', async () => {
    const client = await openai((_, response) => {
      startStream(response);
      for (const event of events('Hello ', 'there')) response.write(event);
      response.end();
    });
    const stream = await client.chat.completions.create({ ...params, stream: true });
    expect(program.cer.of(COMPLETION.id)).toBeNull();
    const parts = await readAll(stream);
    expect(parts.map((part) => program.cer.of(part))).toEqual(parts.map(() => sealed(0)));
  });

  it('is that of a refusal, by the error', async () => {
    const client = await openai((_, response) => {
      sendJson(response, { error: { code: 'rate_limit_exceeded' } }, 429);
    });
    const refused: unknown = await client.chat.completions.create(params).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.RateLimitError);
    expect(program.cer.of(refused)).toEqual(sealed(0));
  });

  it('is that of a response, when it was read', async () => {
    program = await ObservedProgram.start(json);
    const fetch = program.cer.fetch();
    const response = await fetch(...ask(`${program.server.url}/v1/chat/completions`));
    expect(program.cer.of(response)).toBeNull();
    await response.text();
    expect(program.cer.of(response)).toEqual(sealed(0));
  });

  it('is that of a raw response, a message and its stream, of Anthropic', async () => {
    program = await ObservedProgram.start((body, response) => {
      if (!body.includes('"stream":true')) {
        sendJson(response, MESSAGE);
        return;
      }
      startStream(response);
      for (const event of messageEvents('Hello ', 'there')) response.write(event.replace('msg_1', 'msg_2'));
      response.end();
    });
    const client = program.cer.anthropic(new Anthropic({ apiKey: 'key', baseURL: program.server.url, maxRetries: 0 }));
    const asked = { ...params, max_tokens: 9 };
    const { data, response } = await client.messages.create(asked).withResponse();
    const message = await client.messages.stream(asked).finalMessage();
    expect([data, response, message].map((answer) => program.cer.of(answer))).toEqual([
      sealed(0),
      sealed(0),
      sealed(1),
    ]);
  });

  it('is found by the request id of the provider beside that of a gateway', async () => {
    program = await ObservedProgram.start((_, response) => {
      response.setHeader('request-id', 'provider-1');
      sendJson(response, MESSAGE);
    });
    const client = program.cer.anthropic(new Anthropic({ apiKey: 'key', baseURL: program.server.url, maxRetries: 0 }));
    const message = await client.messages.create({ ...params, max_tokens: 9 });
    expect([message, 'req-1', 'provider-1'].map((name) => program.cer.of(name))).toEqual([
      sealed(0),
      sealed(0),
      sealed(0),
    ]);
    expect(program.calls()[0]?.payload['providerRequestId']).toBe('req-1');
  });

  it('is found by the event of a stream that has the message', async () => {
    program = await ObservedProgram.start((_, response) => {
      startStream(response);
      for (const event of messageEvents('Hello ', 'there')) response.write(event);
      response.end();
    });
    const client = program.cer.anthropic(new Anthropic({ apiKey: 'key', baseURL: program.server.url, maxRetries: 0 }));
    const [start, ...others] = await readAll(await client.messages.create({ ...params, max_tokens: 9, stream: true }));
    expect(program.cer.of(start)).toEqual(sealed(0));
    expect(others.map((event) => program.cer.of(event))).toEqual(others.map(() => null));
  });

  it('is found by the id of Gemini, and without an id by the content', async () => {
    const answer = { candidates: [{ content: { parts: [{ text: 'Lisbon' }] } }] };
    let served: object = { ...answer, responseId: 'response-1' };
    program = await ObservedProgram.start((_, response) => {
      response.removeHeader('x-request-id');
      sendJson(response, served);
    });
    const { url } = program.server;
    const gemini = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url, fetch: program.cer.fetch() } });
    const first = await gemini.models.generateContent({ model: 'example-1', contents: 'Where to in May?' });
    served = { model: 'example-1', created_at: '2026-11-28T00:00:00Z', message: { content: 'Lisbon' }, done: true };
    const second = await new Ollama({ host: url, fetch: program.cer.fetch() }).chat({ ...params, stream: false });
    expect([first, second].map((one) => program.cer.of(one))).toEqual([sealed(0), sealed(1)]);
  });

  it('is found by its content, and not by what was sealed, where content is masked', async () => {
    const served = {
      model: 'example-1',
      created_at: '2026-11-28T00:00:00Z',
      message: { content: 'Lisbon' },
      done: true,
    };
    const masked = { ...served, message: { content: '[city]' } };
    const redact: Redaction['redact'] = (value, part) => (part === 'output' ? masked : value);
    program = await ObservedProgram.start(
      (_, response) => {
        response.removeHeader('x-request-id');
        sendJson(response, served);
      },
      { redaction: { name: 'cities-1', redact } },
    );
    const ollama = new Ollama({ host: program.server.url, fetch: program.cer.fetch() });
    const answer = await ollama.chat({ ...params, stream: false });
    expect(program.calls()[0]?.snapshot['outputHash']).toBe(hashOf(masked));
    expect([answer, masked].map((one) => program.cer.of(one))).toEqual([sealed(0), null]);
  });

  it('is found under 1.3.1 too', async () => {
    const confidential = { prompt: 'p', onOpenings: () => undefined, parameters: { temperature: 0, maxTokens: 9 } };
    const client = await openai(json, { confidential });
    expect(program.cer.of(await client.chat.completions.create(params))).toEqual(sealed(0));
  });
});

describe('there is no certificate', () => {
  it('of a call that could not be sealed, when another one has its id and content', async () => {
    let values = 0;
    const redact: Redaction['redact'] = (value) => {
      values += 1;
      if (values === 1) throw new Error('no rules');
      return value;
    };
    const client = await openai(
      (_, response) => {
        response.removeHeader('x-request-id');
        sendJson(response, COMPLETION);
      },
      { redaction: { name: 'rules-1', redact } },
    );
    const refused = await client.chat.completions.create(params);
    await client.chat.completions.create(params);
    expect(program.cer.stats()).toMatchObject({ unsealed: 1, sealed: 1 });
    expect([refused, COMPLETION.id].map((answer) => program.cer.of(answer))).toEqual([null, null]);
  });

  it('of a call that was left out, when another one has its id and content', async () => {
    let calls = 0;
    const client = await openai(json, { certify: () => (calls += 1) > 1 });
    const answers = [await client.chat.completions.create(params), await client.chat.completions.create(params)];
    expect(answers.map((answer) => program.cer.of(answer))).toEqual([null, sealed(0)]);
  });

  it('of a call that was left out, and of anything else', async () => {
    const client = await openai(json, { certify: () => false });
    const answer = await client.chat.completions.create(params);
    const cycle: Record<string, unknown> = { id: 'x' };
    cycle['self'] = cycle;
    const broken = {
      get id(): string {
        throw new Error('no id');
      },
    };
    for (const other of [answer, new Response(), cycle, null, undefined, 1, '', [], () => 0]) {
      expect(program.cer.of(other)).toBeNull();
    }
    expect(program.observerFaults()).toEqual([]);
    expect(program.cer.of(broken)).toBeNull();
  });
});
