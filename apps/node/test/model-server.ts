import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** A server of models, which programs under test call. */
export interface ModelServer {
  readonly url: string;
  /** The address of chat completions. */
  readonly completions: string;
  readonly close: () => void;
}

/** The answer of `startModelServer` to every request. */
export const MODEL_ANSWER = '{"id":"same-id","choices":[]}';

const answerAlike: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(MODEL_ANSWER);
  });
};

export async function startModelServer(answer = answerAlike): Promise<ModelServer> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    completions: `${url}/v1/chat/completions`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
