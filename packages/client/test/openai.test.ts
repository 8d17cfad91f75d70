import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import OpenAI from 'openai';
import { isJsonObject, member, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { checkContent } from '@cer/cer-core/verify';
import { jcsV1 } from '@cer/canonical-json';

import { certificates, type Certificates, type CertificatesOptions } from '../src/index.js';
import { COMPLETION, events, sendJson, startModelServer, startStream, type ModelServer } from './model-server.js';

const SECRET = 'the secret of the caller';
const MESSAGES = [{ role: 'user' as const, content: SECRET }];
/** Nothing listens there. */
const NODE_DOWN = 'http://127.0.0.1:9';

let dir: string;
let server: ModelServer;
let cer: Certificates;
const faults: unknown[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cer-client-'));
  faults.length = 0;
});
afterEach(async () => {
  await cer.close({ timeoutMs: 0 });
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

type Handler = (body: string, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

async function clients(handler: Handler, options: Partial<CertificatesOptions> = {}): Promise<[OpenAI, OpenAI]> {
  server = await startModelServer(handler);
  cer = certificates({ appId: 'tests', nodeUrl: NODE_DOWN, spoolDir: dir, ...options });
  const plain = new OpenAI({ apiKey: 'provider-key', baseURL: `${server.url}/v1`, maxRetries: 0 });
  return [plain, cer.openai(plain)];
}

const json: Handler = (_, response) => {
  sendJson(response, COMPLETION);
};
const stream: Handler = (_, response) => {
  startStream(response);
  for (const event of events('Hel', 'lo ', 'there')) response.write(event);
  response.end();
};

/** The sealed bundles in the spool, oldest first. */
function spooled(): JsonObject[] {
  return readdirSync(dir)
    .filter((name) => /^\d.*\.ndjson$/.test(name))
    .flatMap((name) => readFileSync(join(dir, name), 'utf8').trimEnd().split('\n'))
    .map((line) => parseJson(line))
    .map((line) => objectIn(line, 'bundle'));
}

function objectIn(value: JsonValue | undefined, name: string): JsonObject {
  const found = isJsonObject(value) ? member(value, name) : undefined;
  if (!isJsonObject(found)) throw new Error(`no object ${name}`);
  return found;
}

function only(): { readonly snapshot: JsonObject; readonly payload: JsonObject } {
  const bundles = spooled();
  expect(bundles).toHaveLength(1);
  const [bundle] = bundles;
  expect(checkContent(bundle ?? {}).findings).toEqual([]);
  const { signals } = objectIn(bundle, 'context');
  return { snapshot: objectIn(bundle, 'snapshot'), payload: objectIn((signals as readonly JsonValue[])[0], 'payload') };
}

const hashOf = (value: unknown): string => hashValue(parseJson(JSON.stringify(value)), jcsV1, 'value');
const params = { model: 'example-1', messages: MESSAGES, temperature: 0.5 };

describe('answers of the OpenAI SDK', () => {
  it.each<[string, Handler, (client: OpenAI) => Promise<unknown>]>([
    ['create', json, async (client) => client.chat.completions.create(params)],
    ['request id', json, async (client) => (await client.chat.completions.create(params))._request_id],
    [
      'withResponse',
      json,
      async (client) => {
        const { data, response, request_id } = await client.chat.completions.create(params).withResponse();
        return [data, response.status, response.type, response.redirected, request_id === null, response.url === ''];
      },
    ],
    [
      'asResponse',
      json,
      async (client) => {
        const response = await client.chat.completions.create(params).asResponse();
        return [response instanceof Response, response.headers.get('content-type'), await response.text()];
      },
    ],
    [
      'a byte reader',
      json,
      async (client) => {
        const { body } = await client.chat.completions.create(params).asResponse();
        const reader = body?.getReader({ mode: 'byob' });
        const read: number[] = [];
        for (;;) {
          const result = await reader?.read(new Uint8Array(7));
          if (result?.done !== false) return Buffer.from(read).toString();
          read.push(...result.value);
        }
      },
    ],
    [
      'a stream',
      stream,
      async (client) => {
        const found: unknown[] = [];
        for await (const part of await client.chat.completions.create({ ...params, stream: true })) found.push(part);
        return found;
      },
    ],
    [
      'a stream withResponse',
      stream,
      async (client) => {
        const { data } = await client.chat.completions.create({ ...params, stream: true }).withResponse();
        const found: unknown[] = [];
        for await (const part of data) found.push(part);
        return found;
      },
    ],
    [
      'tee of a stream',
      stream,
      async (client) => {
        const found: unknown[] = [];
        for (const half of (await client.chat.completions.create({ ...params, stream: true })).tee()) {
          for await (const part of half) found.push(part);
        }
        return found;
      },
    ],
    [
      'toReadableStream',
      stream,
      async (client) => {
        const made = await client.chat.completions.create({ ...params, stream: true });
        return new Response(made.toReadableStream()).text();
      },
    ],
    ['the stream helper', stream, async (client) => client.chat.completions.stream(params).finalContent()],
    [
      'classes',
      json,
      async (client) => {
        const promise = client.chat.completions.create(params);
        await promise;
        return [client instanceof OpenAI, promise.constructor.name, client.baseURL, client.apiKey];
      },
    ],
    [
      'a refusal',
      (_, response) => {
        sendJson(response, { error: { message: 'too many', type: 'rate', code: 'slow_down' } }, 429);
      },
      (client) => client.chat.completions.create(params).catch((error: unknown) => describeError(error)),
    ],
    [
      'a stream cut off',
      (_, response) => {
        startStream(response);
        response.write(events('Hel', 'lo')[1]);
        setImmediate(() => response.destroy());
      },
      async (client) => {
        const found: unknown[] = [];
        try {
          for await (const part of await client.chat.completions.create({ ...params, stream: true })) found.push(part);
        } catch (error) {
          found.push(describeError(error));
        }
        return found;
      },
    ],
  ])('are the same: %s', async (_, handler, work) => {
    const [plain, observed] = await clients(handler, { onError: (error) => faults.push(error) });
    const expected = await work(plain);
    const before = server.requests();
    const found = await work(observed);
    const numbered = (value: unknown): string => JSON.stringify(value).replaceAll(/req-\d+/g, 'req-N');
    expect(numbered(found)).toBe(numbered(expected));
    expect([server.requests(), before]).toEqual([2, 1]);
    expect(cer.stats()).toMatchObject({ seen: 1, open: 0, sealed: 1, unsealed: 0, dropped: 0 });
    expect(spooled()).toHaveLength(1);
  });
});

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return [error.constructor.name, error.message, Reflect.get(error, 'status'), Reflect.get(error, 'code')];
}

describe('certificates of calls', () => {
  it('bind the request and the answer, and hold neither', async () => {
    const [, observed] = await clients(json);
    const answer = await observed.chat.completions.create(params);
    const { snapshot, payload } = only();
    expect(snapshot).toMatchObject({
      model: 'example-1',
      appId: 'tests',
      protocolVersion: '1.3.0',
      parameters: { temperature: 0.5 },
      inputHash: hashOf(params),
      outputHash: hashOf(answer),
    });
    const sha256 = createHash('sha256').update(JSON.stringify(COMPLETION)).digest('hex');
    expect(payload).toMatchObject({
      outcome: 'complete',
      httpStatus: 200,
      providerId: 'chatcmpl-1',
      providerRequestId: 'req-1',
      responseSha256: `sha256:${sha256}`,
    });
    const stored = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
    expect(stored.join()).not.toMatch(/the secret of the caller|Hello|provider-key/);
  });

  it('fold a stream into the unstreamed answer', async () => {
    const [, observed] = await clients(stream);
    await readAll(await observed.chat.completions.create({ ...params, stream: true }));
    const { snapshot, payload } = only();
    const folded = {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'example-1',
      choices: [{ message: { role: 'assistant', content: 'Hello there' }, index: 0, finish_reason: 'stop' }],
    };
    expect(snapshot['outputHash']).toBe(hashOf(folded));
    expect(payload).toMatchObject({ outcome: 'complete', streamed: true, outputIs: 'folded-stream' });
  });

  it('bind the part that an aborting caller got', async () => {
    const [, observed] = await clients((_, response) => {
      startStream(response);
      response.write(events('Hel', 'lo')[0]);
      response.write(events('Hel', 'lo')[1]);
    });
    const made = await observed.chat.completions.create({ ...params, stream: true });
    let parts = 0;
    const reading = made[Symbol.asyncIterator]();
    while ((await reading.next()).done !== true) {
      parts += 1;
      if (parts === 2) made.controller.abort();
    }
    const { payload } = only();
    expect(payload).toMatchObject({ outcome: 'aborted', httpStatus: 200 });
    expect(cer.stats().outcomes).toEqual({ complete: 0, aborted: 1, failed: 0, truncated: 0 });
  });

  it('call a stream truncated that breaks off', async () => {
    const [, observed] = await clients((_, response) => {
      startStream(response);
      response.write(events('Hel')[1]);
      setImmediate(() => response.destroy());
    });
    const reading = async (): Promise<void> => {
      await readAll(await observed.chat.completions.create({ ...params, stream: true }));
    };
    await expect(reading()).rejects.toThrow();
    expect(only().payload).toMatchObject({ outcome: 'truncated' });
  });

  it('state the code of a refusal, once per attempt', async () => {
    let calls = 0;
    const [, observed] = await clients((_, response) => {
      calls += 1;
      if (calls === 1) sendJson(response, { error: { message: SECRET, code: 'slow_down' } }, 500);
      else sendJson(response, COMPLETION);
    });
    await observed.withOptions({ maxRetries: 1 }).chat.completions.create(params);
    expect(cer.stats()).toMatchObject({ seen: 2, sealed: 2, outcomes: { complete: 1, failed: 1 } });
    const payloads = spooled().map((bundle) =>
      objectIn((objectIn(bundle, 'context')['signals'] as readonly JsonValue[])[0], 'payload'),
    );
    expect(payloads).toMatchObject([
      { outcome: 'failed', httpStatus: 500, attempt: 1 },
      { outcome: 'complete', httpStatus: 200, attempt: 2 },
    ]);
    expect(JSON.stringify(payloads)).not.toContain(SECRET);
  });

  it('state that no answer came', async () => {
    const [, observed] = await clients((_, response) => {
      response.destroy();
    });
    await expect(observed.chat.completions.create(params)).rejects.toThrow('Connection error');
    expect(only().payload).toMatchObject({ outcome: 'failed', httpStatus: null });
  });

  it('bind an answer over the limit by its bytes', async () => {
    const [, observed] = await clients(json, { maxContentBytes: 10 });
    await observed.chat.completions.create(params);
    const { snapshot, payload } = only();
    expect(payload['outputIs']).toBe('bytes');
    expect(snapshot['outputHash']).toBe(payload['responseSha256']);
  });

  it('are one for a call with two observers', async () => {
    const [, observed] = await clients(json);
    await cer.openai(observed).chat.completions.create(params);
    expect(cer.stats()).toMatchObject({ seen: 1, sealed: 1 });
    expect(only().payload).toMatchObject({ outcome: 'complete' });
  });
});

describe('the caller', () => {
  it('gets no promise hooks from any number of observed clients', async () => {
    const [plain, observed] = await clients(json);
    const run = jest.spyOn(AsyncLocalStorage.prototype, 'run');
    try {
      await observed.chat.completions.create(params);
      await cer.openai(plain).chat.completions.create(params);
      expect(run).not.toHaveBeenCalled();
    } finally {
      run.mockRestore();
    }
    expect(cer.stats().sealed).toBe(2);
  });

  it('never reads ahead of a slow reader', async () => {
    const line = `: ${'x'.repeat(64 * 1024)}\n\n`;
    const total = 800;
    const served: [number, number] = [0, 0];
    const handler: Handler = async (_, response, request) => {
      startStream(response);
      const which = request.headers['x-plain'] === 'yes' ? 0 : 1;
      response.on('error', () => undefined);
      const closed = new Promise((resolve) => response.once('close', resolve));
      for (const event of events('Hel').slice(0, 2)) response.write(event);
      for (let at = 0; at < total && !response.destroyed; at += 1) {
        served[which] += line.length;
        if (!response.write(line)) {
          const drained = new Promise((resolve) => response.once('drain', resolve));
          await Promise.race([drained, closed]);
        }
      }
      response.end();
    };
    const [plain, observed] = await clients(handler);
    const standStill = async (client: OpenAI, headers: Record<string, string>): Promise<void> => {
      const made = await client.chat.completions.create({ ...params, stream: true }, { headers });
      const parts = made[Symbol.asyncIterator]();
      await parts.next();
      await settled(() => served[headers['x-plain'] === 'yes' ? 0 : 1]);
      made.controller.abort();
    };
    await standStill(plain, { 'x-plain': 'yes' });
    await standStill(observed, {});
    // The whole is 105 MB; sockets and the reader buffer some megabytes with or without an observer.
    expect(served[1]).toBeLessThan(served[0] + 2 * 1024 * 1024);
    expect(served[1]).toBeLessThan((total * line.length) / 4);
  });

  it('gets no error of a failing observer', async () => {
    const [, observed] = await clients(json, {
      certify: () => {
        throw new Error('a hook fails');
      },
      onError: (error) => {
        faults.push(error);
        throw new Error('this hook fails too');
      },
    });
    expect(await observed.chat.completions.create(params)).toMatchObject({ id: 'chatcmpl-1' });
    expect(cer.stats()).toMatchObject({ seen: 1, sealed: 1 });
    expect(String(faults[0])).toContain('a hook fails');
  });

  it('chooses what is certified, and skips are counted', async () => {
    const [, observed] = await clients(json, { certify: () => false });
    await observed.chat.completions.create(params);
    expect(cer.stats()).toMatchObject({ seen: 1, skipped: 1, sealed: 0, waiting: 0 });
  });

  it('may refuse calls that no certificate would follow', async () => {
    const [, observed] = await clients(json, { onFull: 'throw-before-call', maxSpoolBytes: 0 });
    await expect(observed.chat.completions.create(params)).rejects.toThrow();
    expect(server.requests()).toBe(0);
  });

  it('certifies every call that it does not refuse', async () => {
    const [, observed] = await clients(json, { onFull: 'throw-before-call', maxSpoolBytes: 4000 });
    const calls = await Promise.allSettled(
      Array.from({ length: 20 }, async () => observed.chat.completions.create(params)),
    );
    await expect(observed.chat.completions.create(params)).rejects.toThrow();
    const made = calls.filter(({ status }) => status === 'fulfilled').length;
    expect(server.requests()).toBe(made);
    expect(cer.stats()).toMatchObject({ seen: made, sealed: made, waiting: made, dropped: 0 });
  });

  it('gets its answer although the spool is full', async () => {
    const [, observed] = await clients(json, { maxSpoolBytes: 10 });
    expect(await observed.chat.completions.create(params)).toMatchObject({ id: 'chatcmpl-1' });
    expect(cer.stats()).toMatchObject({ seen: 1, dropped: 1, sealed: 0 });
  });

  it('gets its answer although the folder cannot be used', async () => {
    const [, observed] = await clients(json, { spoolDir: '/proc/none', onError: (error) => faults.push(error) });
    expect(await observed.chat.completions.create(params)).toMatchObject({ id: 'chatcmpl-1' });
    expect(cer.stats()).toMatchObject({ sealed: 1, waiting: 1 });
    expect(faults.length).toBeGreaterThan(0);
  });
});

/** Waits until a number stops growing. */
async function settled(value: () => number): Promise<void> {
  for (let last = -1, same = 0; same < 10;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    same = value() === last ? same + 1 : 0;
    last = value();
  }
}

async function readAll(stream: AsyncIterable<unknown>): Promise<void> {
  const reading = stream[Symbol.asyncIterator]();
  while ((await reading.next()).done !== true);
}
