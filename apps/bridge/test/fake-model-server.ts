import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeModelServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const TOOL_CALLS = [
  { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"place":"Lisbon"}' } },
];

/** Speaks the chat completions protocol of model servers: answers, streams, asks for tools. */
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
  const wanted = JSON.parse(text) as { readonly stream?: boolean; readonly tools?: unknown };
  const common = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'fake-large-2026-01-01' };
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  const finish_reason = wanted.tools === undefined ? 'stop' : 'tool_calls';
  const message = {
    role: 'assistant',
    content: wanted.tools === undefined ? 'CONTENT-ANSWER' : null,
    ...(wanted.tools !== undefined && { tool_calls: TOOL_CALLS }),
  };
  if (wanted.stream !== true) {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ ...common, object: 'chat.completion', usage, choices: [{ index: 0, message, finish_reason }] }),
    );
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const send = (part: object): void => {
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...part })}\n\n`);
  };
  for (const content of ['CONTENT-', 'ANSWER'])
    send({ choices: [{ index: 0, delta: { role: 'assistant', content } }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
  response.end('data: [DONE]\n\n');
}
