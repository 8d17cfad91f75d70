import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Behaviour of an authority: `answer` issues tokens, `flood` sends 200 MB, `silence` never answers, `refuse` is HTTP
 * 503.
 */
export type TsaBehaviour =
  | 'answer'
  | 'flood'
  | 'silence'
  | 'refuse'
  /** Arbitrary bytes in place of a response. */
  | { readonly bytes: Uint8Array }
  /** The request that the authority answers in place of the received one. */
  | { readonly instead: (query: Uint8Array) => Uint8Array };

export interface ServedTsa {
  readonly url: string;
  /** Number of requests received. */
  readonly calls: number;
  /** Bytes of a flood that were sent before the client disconnected. */
  readonly flooded: number;
  behave(behaviour: TsaBehaviour): void;
  close(): Promise<void>;
}

const FLOOD_BYTES = 200 * 1024 * 1024;

/** Serves an authority over HTTP (RFC 3161, 3.4) on a free local port. */
export async function serveTsa(reply: (query: Uint8Array) => Promise<Uint8Array>): Promise<ServedTsa> {
  let behaviour: TsaBehaviour = 'answer';
  const counted = { calls: 0, flooded: 0 };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    counted.calls += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    const query = new Uint8Array(Buffer.concat(chunks));
    if (behaviour === 'silence') return;
    if (behaviour === 'refuse') {
      response.writeHead(503).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' });
    if (behaviour === 'flood') {
      flood(response, counted);
      return;
    }
    if (behaviour === 'answer') response.end(await reply(query));
    else if ('bytes' in behaviour) response.end(behaviour.bytes);
    else response.end(await reply(behaviour.instead(query)));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, so the address is not a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/tsa`,
    get calls() {
      return counted.calls;
    },
    get flooded() {
      return counted.flooded;
    },
    behave: (next) => {
      behaviour = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function flood(response: ServerResponse, counted: { flooded: number }): void {
  const chunk = Buffer.alloc(64 * 1024, 0x30);
  let sent = 0;
  const send = (): void => {
    while (sent < FLOOD_BYTES && !response.destroyed) {
      sent += chunk.length;
      counted.flooded += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', send);
        return;
      }
    }
    response.end();
  };
  send();
}
