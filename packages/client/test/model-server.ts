import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';

/** A local server that speaks a provider's HTTP. */
export interface ModelServer {
  readonly url: string;
  /** Bytes written to sockets so far. */
  readonly written: () => number;
  readonly requests: () => number;
  readonly close: () => Promise<void>;
}

export type ModelHandler = (body: string, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** @param handler answers each request, with its body as text */
export async function startModelServer(handler: ModelHandler): Promise<ModelServer> {
  let written = 0;
  let requests = 0;
  const server: Server = createServer((request, response) => {
    requests += 1;
    request.socket.once('close', () => {
      written += request.socket.bytesWritten;
    });
    void (async () => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
      response.setHeader('x-request-id', `req-${requests}`);
      await handler(body, response, request);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    written: () => written,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'example-1',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello there', refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
};

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** An event of a streamed answer. */
export const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'example-1',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

/** The events of a streamed answer of these words. */
export function events(...words: readonly string[]): string[] {
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ];
}

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** A message of Anthropic's API. */
export const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'example-1',
  content: [{ type: 'text', text: 'Hello there' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
};

const named = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;

/** The events of a streamed message of these words. */
export function messageEvents(...words: readonly string[]): string[] {
  return [
    named('message_start', {
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } },
    }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...words.map((text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } }),
    named('message_stop', {}),
  ];
}
