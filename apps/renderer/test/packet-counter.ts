import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Counts what reaches a port of this machine. */
export interface PacketCounter {
  /** Of TCP and of UDP, on 127.0.0.1. */
  readonly port: number;
  /** Connections and datagrams since the start. */
  readonly packets: number;
  /** Sends a connection and a datagram, and waits until both were counted, so that silence is a result. */
  control(): Promise<void>;
  close(): void;
}

/** Listens on one port for TCP and UDP. */
export async function startPacketCounter(): Promise<PacketCounter> {
  let packets = 0;
  const tcp = createServer((socket) => {
    packets += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const address = tcp.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  const { port } = address;
  const udp = createSocket('udp4').on('message', () => {
    packets += 1;
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return {
    port,
    get packets() {
      return packets;
    },
    async control() {
      const before = packets;
      // Not by fetch, which waits indefinitely on a connection that ends when it starts.
      const caller = connect(port, '127.0.0.1').on('error', () => undefined);
      const sender = createSocket('udp4');
      sender.send('x', port, '127.0.0.1');
      while (packets < before + 2) await new Promise((resolve) => setTimeout(resolve, 10));
      sender.close();
      caller.destroy();
    },
    close() {
      udp.close();
      tcp.close();
    },
  };
}
