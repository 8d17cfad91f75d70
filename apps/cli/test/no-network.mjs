// Preloaded into a command that must stay offline: whatever could open a connection throws.
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

const refuse = () => {
  const cause = Object.assign(new Error('a connection was attempted'), { code: 'REFUSED_BY_TEST' });
  throw new TypeError('fetch failed', { cause });
};

net.Socket.prototype.connect = refuse;
dgram.createSocket = refuse;
dns.lookup = refuse;
dns.promises.lookup = refuse;
globalThis.fetch = refuse;
