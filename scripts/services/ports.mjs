import { createServer } from 'node:net';
import { SetupError } from '../setup/setup-error.mjs';

const OFFSETS = { node: 0, renderer: 10, verifier: 100, bridge: 200, dashboard: 300, witness: 500 };
const DEFAULT_BASE = 4100;
const HIGHEST_BASE = 65_000;

/** Where each service listens: `CER_PORT_BASE` and its offset. */
export function servicePorts(env = process.env) {
  const text = env.CER_PORT_BASE || String(DEFAULT_BASE);
  const base = Number(text);
  if (!/^\d+$/.test(text) || base < 1024 || base > HIGHEST_BASE) {
    throw new SetupError('CER_PORT_BASE is not a port.', `Set it to a number from 1024 to ${HIGHEST_BASE}.`);
  }
  return Object.fromEntries(Object.entries(OFFSETS).map(([name, offset]) => [name, base + offset]));
}

/** @throws {SetupError} naming the service and the port that something else listens on */
export async function assertPortsFree(names, ports) {
  for (const name of names) {
    if (await isFree(ports[name])) continue;
    throw new SetupError(
      `Port ${ports[name]}, for the ${name}, is in use.`,
      'Stop what listens there (another npm start?), or choose other ports, for example: CER_PORT_BASE=5100 npm start',
    );
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
