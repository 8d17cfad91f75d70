import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerMessages, sendJson, type ModelRequest } from './fake-messages-api.js';

export interface FakeModelServer {
  /** With the path `/v1`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const TOOL_CALLS = [
  { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"place":"Lisbon"}' } },
];
const VECTOR = [0.5, 0.25];

/**
 * Speaks the HTTP and SSE of model servers: chat completions, embeddings and Anthropic's messages, with answers,
 * streams and tool calls. The model's name asks for more: `fake-error` is refused, `fake-limit` stops at its limit, the
 * stream of `fake-abort` stalls after its first piece, that of `fake-end` ends there.
 */
export async function startFakeModelServer(): Promise<FakeModelServer> {
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const wanted = JSON.parse(text) as ModelRequest;
  if (request.url?.endsWith('/messages') === true) {
    answerMessages(wanted, response);
    return;
  }
  if (wanted.model === 'fake-error') {
    sendJson(response, 400, { error: { message: 'CONTENT-REFUSED', type: 'invalid_request_error' } });
    return;
  }
  if (request.url?.endsWith('/embeddings') === true) answerEmbeddings(wanted, response);
  else answerChat(wanted, response);
}

function answerEmbeddings({ model, encoding_format }: ModelRequest, response: ServerResponse): void {
  const isBase64 = encoding_format === 'base64';
  const embedding = isBase64 ? Buffer.from(Float32Array.from(VECTOR).buffer).toString('base64') : VECTOR;
  const data = [{ object: 'embedding', index: 0, embedding }];
  sendJson(response, 200, { object: 'list', model, data, usage: { prompt_tokens: 4, total_tokens: 4 } });
}

function answerChat(wanted: ModelRequest, response: ServerResponse): void {
  const common = { id: 'chatcmpl-1', created: 1_700_000_000, model: `${wanted.model}-2026-01-01` };
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  const end = wanted.model === 'fake-limit' ? 'length' : 'stop';
  const finish_reason = wanted.tools === undefined ? end : 'tool_calls';
  const message = {
    role: 'assistant',
    content: wanted.tools === undefined ? 'CONTENT-ANSWER' : null,
    ...(wanted.tools !== undefined && { tool_calls: TOOL_CALLS }),
  };
  if (wanted.stream !== true) {
    sendJson(response, 200, {
      ...common,
      object: 'chat.completion',
      usage,
      choices: [{ index: 0, message, finish_reason }],
    });
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const send = (part: object): void => {
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...part })}\n\n`);
  };
  send({ choices: [{ index: 0, delta: { role: 'assistant', content: 'CONTENT-' } }] });
  if (wanted.model === 'fake-abort') return;
  if (wanted.model === 'fake-end') {
    response.end();
    return;
  }
  send({ choices: [{ index: 0, delta: { role: 'assistant', content: 'ANSWER' } }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason: end }], usage });
  response.end('data: [DONE]\n\n');
}
