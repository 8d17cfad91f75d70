import { connect, type Socket } from 'node:net';

/** A connection on which a test writes exact bytes. */
export interface RawConnection {
  readonly socket: Socket;
  send(text: string): void;
  /** Everything received so far. */
  received(): string;
  /** Waits until the received text contains `text`. */
  until(text: string): Promise<string>;
  /** Waits for the end of the connection. */
  ended(): Promise<string>;
}

/** Connects to a server by its URL. */
export async function connectRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const changed = new Set<() => void>();
  const notify = (): void => {
    for (const listener of changed) listener();
  };
  let over = false;
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    notify();
  });
  socket.on('error', notify);
  socket.on('close', () => {
    over = true;
    notify();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  const waitFor = (met: () => boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (met()) resolve(text);
        else if (over) reject(new Error(`connection ended after: ${text}`));
        else return;
        changed.delete(check);
      };
      changed.add(check);
      check();
    });
  return {
    socket,
    send: (bytes) => {
      socket.write(bytes, 'latin1');
    },
    received: () => text,
    until: (part) => waitFor(() => text.includes(part)),
    ended: () => waitFor(() => over),
  };
}
