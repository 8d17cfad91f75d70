import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { hashOf, ObservedProgram } from './observed-program.js';

const ANSWER = JSON.stringify({ id: 'chatcmpl-1', choices: [] });
const BODY = { model: 'example-1', messages: [{ role: 'user', content: 'é†' }] };

let program: ObservedProgram;
let server: Server;
let heads: unknown[];
let received: string[];
let began: () => void;
beforeEach(async () => {
  program = await ObservedProgram.start(() => undefined);
  [heads, received, began] = [[], [], () => undefined];
  server = createServer((request, response) => {
    began();
    heads.push({ method: request.method, url: request.url, headers: request.headers });
    void (async () => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
      received.push(body);
      response.end(ANSWER);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await program.end();
});

const addressOf = (path: string): string => {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${path}`;
};
const requestTo = (path: string, init: RequestInit = {}): Request =>
  new Request(addressOf(path), { method: 'POST', body: JSON.stringify(BODY), ...init });

/** A body that ends when `end` is called, after its first part was sent. */
function slowBody(): { readonly body: ReadableStream<Uint8Array>; readonly end: () => void } {
  let end = (): void => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(JSON.stringify(BODY).slice(0, 9)));
      end = () => {
        controller.enqueue(Buffer.from(JSON.stringify(BODY).slice(9)));
        controller.close();
      };
    },
  });
  return {
    body,
    end: () => {
      end();
    },
  };
}

describe('a Request given to an observed fetch', () => {
  it('is sent as it is, and its call is certified', async () => {
    await fetch(requestTo('/v1/chat/completions'));
    const response = await program.cer.fetch()(requestTo('/v1/chat/completions'));
    expect(await response.text()).toBe(ANSWER);
    expect(heads[1]).toEqual(heads[0]);
    expect(received).toEqual([JSON.stringify(BODY), JSON.stringify(BODY)]);
    const [call] = program.calls();
    expect(call?.snapshot).toMatchObject({ model: 'example-1', inputHash: hashOf(BODY) });
    expect(program.cer.stats()).toMatchObject({ seen: 1, sealed: 1, unsealed: 0 });
    expect(program.observerFaults()).toEqual([]);
  });

  it('is no call of a model where its message names none', async () => {
    const body = JSON.stringify({ content: 'hello' });
    await program.cer.fetch()(requestTo('/channels/1/messages', { body }));
    expect(received).toEqual([body]);
    expect(program.cer.stats()).toMatchObject({ seen: 0 });
  });

  it('does not wait for a body that is still produced', async () => {
    const arrived = new Promise<void>((resolve) => {
      began = resolve;
    });
    const { body, end } = slowBody();
    const answered = program.cer.fetch()(requestTo('/v1/chat/completions', { body, duplex: 'half' } as RequestInit));
    await arrived;
    end();
    expect(await (await answered).text()).toBe(ANSWER);
    expect(received).toEqual([JSON.stringify(BODY)]);
    expect(program.cer.stats()).toMatchObject({ seen: 1, unsealed: 1, sealed: 0 });
  });

  it('fails as without an observer when its body was read', async () => {
    const used = async (): Promise<Request> => {
      const request = requestTo('/v1/chat/completions');
      await request.text();
      return request;
    };
    const plain = await fetch(await used()).catch((error: unknown) => String(error));
    const observed = program.cer
      .fetch()(await used())
      .catch((error: unknown) => String(error));
    expect(await observed).toBe(plain);
  });
});
