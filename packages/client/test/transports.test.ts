import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createNodeClient, NodeError, type NodeApi, type NodeClientOptions } from '../src/node-client.js';
import { nodeTransport, type NodeTransport } from '../src/node-transport.js';
import { sendJson, startModelServer, type ModelServer } from './model-server.js';

type Step = (response: ServerResponse) => void | Promise<void>;
type Kind = 'fetch' | 'node:http';

let server: ModelServer;
let transport: NodeTransport;
let bodies: string[] = [];
let sockets: Set<Socket>;
afterEach(async () => {
  transport.close();
  await server.close();
});

/** A client of a node that answers with these steps, the last one over and over. */
async function nodeThat(
  kind: Kind,
  steps: readonly Step[],
  options: Partial<NodeClientOptions> = {},
): Promise<NodeApi> {
  bodies = [];
  sockets = new Set();
  server = await startModelServer((body, response, request) => {
    sockets.add(request.socket);
    const step = steps[Math.min(bodies.length, steps.length - 1)];
    bodies.push(body);
    return step?.(response);
  });
  transport = nodeTransport();
  const reach = kind === 'fetch' ? {} : { transport };
  return createNodeClient({ nodeUrl: server.url, apiKey: 'key', retries: 0, ...reach, ...options });
}

const ok: Step = (response) => {
  sendJson(response, { ok: true });
};
const drop: Step = (response) => {
  response.destroy();
};
const line = (index: number, more: object = {}): string =>
  `${JSON.stringify({ index, status: 200, body: {}, ...more })}\n`;
const answers =
  (...lines: readonly string[]): Step =>
  (response) => {
    response.end(lines.join(''));
  };

async function resultsOf(results: AsyncIterable<{ readonly index: number }>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { index } of results) seen.push(index);
  return seen;
}

/** The error of a batch, after the results before it. */
async function failureOf(node: NodeApi, lines: readonly string[], options = {}): Promise<unknown> {
  return resultsOf(node.askLines('certifyBatch', lines, options)).catch((error: unknown) => error);
}

describe('the transport over node:http', () => {
  it('keeps connections open from request to request', async () => {
    const node = await nodeThat('node:http', [ok]);
    expect([await node.version(), await node.version()]).toEqual([{ ok: true }, { ok: true }]);
    expect(sockets.size).toBe(1);
  });

  it('resends a request that a kept connection lost', async () => {
    const node = await nodeThat('node:http', [ok, drop, ok]);
    await node.version();
    expect(await node.create({ provider: 'p', model: 'm' })).toEqual({ ok: true });
    expect(bodies).toEqual(['', ...Array<string>(2).fill('{"provider":"p","model":"m"}')]);
  });

  it.each([
    ['on a new connection', [drop], 1],
    ['a second time', [ok, drop, drop], 3],
    ['whose answer began', [ok, cutAnswer], 2],
  ])('does not send a request again %s', async (_, steps, requests) => {
    const node = await nodeThat('node:http', steps);
    if (steps.length > 1) await node.version();
    await expect(node.create({ provider: 'p', model: 'm' })).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(bodies).toHaveLength(requests);
  });

  it('waits beyond its timeout for a node that continues to send', async () => {
    const slow: Step = async (response) => {
      for (const part of '{"ok":            true}') {
        response.write(part);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      response.end();
    };
    const node = await nodeThat('node:http', [slow], { timeoutMs: 2000 });
    expect(await node.version()).toEqual({ ok: true });
  });

  it('follows no redirect', async () => {
    const redirect: Step = (response) => {
      response.writeHead(307, { location: '/elsewhere' }).end();
    };
    const node = await nodeThat('node:http', [redirect]);
    await expect(node.version()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 307 });
    expect(bodies).toHaveLength(1);
  });

  it('ends its idle connections when it is closed', async () => {
    const node = await nodeThat('node:http', [ok]);
    await node.version();
    const [socket] = sockets;
    transport.close();
    if (socket?.destroyed === false) await once(socket, 'close');
    expect(socket?.destroyed).toBe(true);
  });
});

function cutAnswer(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{', () => response.destroy());
}

describe.each<[Kind]>([['fetch'], ['node:http']])('by %s', (kind) => {
  it('a silent node ends with TIMEOUT', async () => {
    const silent = await nodeThat(kind, [() => undefined]);
    expect(await failureOf(silent, ['{}'], { timeoutMs: 50 })).toMatchObject({ code: 'TIMEOUT', status: null });
  });

  it('an answer that stalls ends with TIMEOUT', async () => {
    const halting = await nodeThat(kind, [(response) => void response.write(line(0))]);
    // Long enough for the first line of a node on a busy machine.
    const results = halting.askLines('certifyBatch', ['{}', '{}'], { timeoutMs: 2000 });
    expect((await results.next()).value).toMatchObject({ index: 0 });
    await expect(results.next()).rejects.toMatchObject({ code: 'TIMEOUT', status: null });
  });

  it('a batch ends with the reason of its signal', async () => {
    const node = await nodeThat(kind, [(response) => void response.write(line(0))]);
    const aborter = new AbortController();
    const results = node.askLines('certifyBatch', ['{}', '{}'], { signal: aborter.signal });
    await results.next();
    const reason = new Error('enough');
    aborter.abort(reason);
    await expect(results.next()).rejects.toBe(reason);
  });

  it('each result arrives before the next line is sent', async () => {
    let next: () => void = () => undefined;
    const seen = new Promise<void>((resolve) => (next = resolve));
    const node = await nodeThat(kind, [
      async (response) => {
        response.write(line(0));
        await seen;
        response.end(line(1));
      },
    ]);
    const results = node.askLines('certifyBatch', ['{}', '{}']);
    expect((await results.next()).value).toEqual({ index: 0, status: 200, body: {} });
    next();
    expect((await results.next()).value).toEqual({ index: 1, status: 200, body: {} });
    expect((await results.next()).done).toBe(true);
  });

  it('sends the bytes of lines as they are', async () => {
    const node = await nodeThat(kind, [answers(line(0), line(1))]);
    const lines = ['{"a": 1.0}', '{"é":1}'];
    const bytes = lines.map((text) => new TextEncoder().encode(text));
    expect(await resultsOf(node.askLines('certifyBatch', bytes))).toEqual([0, 1]);
    expect(await resultsOf(node.askLines('certifyBatch', lines))).toEqual([0, 1]);
    expect(bodies).toEqual(Array<string>(2).fill('{"a": 1.0}\n{"é":1}\n'));
  });

  it('a refused batch is one error', async () => {
    const refuse: Step = (response) => {
      response.setHeader('retry-after', '7');
      sendJson(response, { error: 'RATE_LIMITED' }, 429);
    };
    const node = await nodeThat(kind, [refuse]);
    const error = await failureOf(node, ['{}']);
    expect(error).toBeInstanceOf(NodeError);
    expect(error).toMatchObject({ code: 'RATE_LIMITED', status: 429, retryAfterMs: 7000 });
    expect(bodies).toHaveLength(1);
  });

  it('a refusal that breaks off is none', async () => {
    const cut: Step = (response) => {
      response.writeHead(400, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    };
    const node = await nodeThat(kind, [cut]);
    expect(await failureOf(node, ['{}'])).toMatchObject({ code: 'UNREACHABLE', status: null });
  });

  it('a change of the protocol is no answer', async () => {
    const upgrade: Step = (response) => {
      response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end();
    };
    const node = await nodeThat(kind, [upgrade]);
    await expect(node.version()).rejects.toMatchObject({ code: 'UNREACHABLE', status: null });
  });

  it.each([
    ['in another order', [line(1)], 'UNEXPECTED_ANSWER'],
    ['of another shape', ['{"index":0}\n'], 'UNEXPECTED_ANSWER'],
    ['with a member twice', ['{"index":0,"index":0,"status":200,"body":{}}\n'], 'UNEXPECTED_ANSWER'],
    ['beyond the batch', [line(0), line(1)], 'UNEXPECTED_ANSWER'],
    ['over the limit', [line(0, { body: { a: 'x'.repeat(2000) } })], 'ANSWER_TOO_LARGE'],
    ['that are missing', [], 'UNREACHABLE'],
  ])('results %s end a batch', async (_, lines, code) => {
    const node = await nodeThat(kind, [answers(...lines)], { maxAnswerBytes: 1000 });
    expect(await failureOf(node, ['{}'])).toMatchObject({ code, status: null });
  });

  it.each([
    ['line', 'x'],
    ['run of blank lines', '\n'],
  ])('an endless %s ends a batch', async (_, content) => {
    const closed: Promise<unknown>[] = [];
    const endless: Step = (response) => {
      closed.push(new Promise((resolve) => response.once('close', resolve)));
      const part = content.repeat(100);
      const more = (): void => {
        while (!response.destroyed && response.write(part));
      };
      response.on('drain', more);
      more();
    };
    const node = await nodeThat(kind, [endless], { maxAnswerBytes: 1000 });
    expect(await failureOf(node, ['{}'])).toMatchObject({ code: 'ANSWER_TOO_LARGE', status: null });
    expect(closed).toHaveLength(1);
    await Promise.all(closed);
  });

  it('only the lines without a result are sent again', async () => {
    const one: Step = (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(line(0), () => response.destroy());
    };
    const node = await nodeThat(kind, [one, answers(line(0), line(1))], { retries: 1 });
    const items = ['a', 'b', 'c'].map((executionId) => ({ provider: 'p', model: 'm', executionId }));
    expect(await resultsOf(node.certifyBatch(items))).toEqual([0, 1, 2]);
    const ids = bodies.map((body) => [...body.matchAll(/"executionId":"(.)"/g)].map(([, id]) => id));
    expect(ids).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
  });

  it.each([
    ['after a part', 1],
    ['before it is read', 0],
  ])('an export is a stream that its reader may leave %s', async (_, parts) => {
    const node = await nodeThat(kind, [
      (response) => {
        response.write('first');
      },
    ]);
    const reader = (await node.exportRecords()).getReader();
    for (let part = 0; part < parts; part += 1) {
      expect(new TextDecoder().decode((await reader.read()).value)).toBe('first');
    }
    await reader.cancel();
    const [socket] = sockets;
    if (socket?.destroyed === false) await once(socket, 'close');
    expect(socket?.destroyed).toBe(true);
  });
});
