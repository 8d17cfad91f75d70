import { once } from 'node:events';
import { createServer } from 'node:http';

/** A local server with one route of a model's API; every other path is 404. */
export interface ModelServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const COMPLETION = {
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_700_000_000, model: 'gpt-4.1' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Lisbon', refusal: null }, finish_reason: 'stop' }],
};

export async function startModelServer(): Promise<ModelServer> {
  const server = createServer((request, response) => {
    const isCompletion = request.method === 'POST' && request.url === '/v1/chat/completions';
    request.resume().once('end', () => {
      response.writeHead(isCompletion ? 200 : 404, { 'content-type': 'application/json' });
      response.end(isCompletion ? JSON.stringify(COMPLETION) : '{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
