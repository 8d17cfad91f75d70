import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a receiver of webhooks has it. */
export interface ReceivedMessage {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver of webhooks on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: ReceivedMessage[];
  /** The next message. */
  readonly next: () => Promise<ReceivedMessage>;
  /** Answers with this status from now on. */
  answer: (status: number) => void;
  readonly close: () => Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = [];
  const waiting: ((message: ReceivedMessage) => void)[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const message = { path: request.url ?? '', headers, body: Buffer.concat(parts).toString() };
      response.writeHead(status).end();
      received.push(message);
      waiting.shift()?.(message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    answer: (next) => {
      status = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
