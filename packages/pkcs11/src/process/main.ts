/**
 * The module process. Vendors' libraries block, hang and crash; in a separate process they cannot bring down the
 * service, and their state ends with the process.
 */
import type { ReplyMessage, Request, RequestMessage } from '../messages.js';
import { Pkcs11Error } from '../pkcs11-error.js';
import { ckrOf } from './cryptoki.js';
import { openToken } from './open-token.js';
import { TokenKeys } from './token-keys.js';

let keys: TokenKeys | null = null;

async function answer(request: Request): Promise<unknown> {
  if (request.operation === 'open') {
    keys = new TokenKeys(openToken(request.address));
    return null;
  }
  if (keys === null) throw new Pkcs11Error('PKCS11_UNAVAILABLE', 'PKCS#11 process: no token is open');
  switch (request.operation) {
    case 'list':
      return keys.list();
    case 'create':
      return keys.create(request.label);
    case 'find':
      return keys.find(request.kid);
    case 'sign':
      return keys.sign(request.kid, request.message);
    case 'destroy':
      await keys.destroy(request.kid);
      return null;
  }
}

/** Passes on only the name of a module's error: its other content is unknown. */
function refusalOf(error: unknown): Pkcs11Error {
  if (error instanceof Pkcs11Error) return error;
  return new Pkcs11Error('PKCS11_UNAVAILABLE', `PKCS#11 module: ${ckrOf(error) ?? 'failed'}`);
}

async function serve({ id, request }: RequestMessage): Promise<void> {
  let reply: ReplyMessage;
  try {
    reply = { id, result: await answer(request) };
  } catch (error) {
    const { code, message } = refusalOf(error);
    reply = { id, refusal: { code, message } };
  }
  // The service may have exited already; then `disconnect` ends this process.
  process.send?.(reply, undefined, undefined, () => undefined);
}

process.on('message', (message: RequestMessage) => void serve(message));
process.on('disconnect', () => process.exit(0));
// An interrupt reaches the whole process group; the service finishes its accepted requests, and these need signatures.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
