import { hashApiKey, isApiKey } from '@cer/control-plane';
import { bearerKey, ServiceError, unauthorized, type RequestHead } from '@cer/http-service';
import { Secret } from '@cer/http-service/config';
import type { KeyAccount } from './accounts.js';
import type { FindKey } from './cached-keys.js';

/** The scopes that sending in needs: the bridge's own, and that of what the node does with it. */
const NEEDED_SCOPES = ['ingest', 'certify'] as const;

/** The admitted sender, with the key to forward for this one request. */
export interface Caller extends KeyAccount {
  readonly key: Secret<string>;
}

/** Authentication of machines: `admit` runs on the head alone, `callerOf` returns the caller that was admitted. */
export interface Gate {
  readonly admit: (head: RequestHead) => Promise<void>;
  readonly callerOf: (head: RequestHead) => Caller;
}

/** @see docs/spec.md, "Evidence bridge: machine path" */
export function createGate(findKey: FindKey): Gate {
  const callers = new WeakMap<RequestHead, Caller>();
  return {
    admit: async (head) => {
      const key = bearerKey(head);
      if (!isApiKey(key)) throw unauthorized();
      const account = await findKey(hashApiKey(key));
      if (account === null) throw unauthorized();
      refuseStanding(account);
      callers.set(head, { ...account, key: new Secret(key) });
    },
    callerOf: (head) => {
      const caller = callers.get(head);
      if (caller === undefined) throw new Error('the route has no admission');
      return caller;
    },
  };
}

function refuseStanding({ isActive, hasBridge, scopes }: KeyAccount): void {
  if (!isActive) throw forbidden('This account is suspended');
  if (!hasBridge) throw forbidden('The evidence bridge is not part of this account');
  const missing = NEEDED_SCOPES.filter((scope) => !scopes.has(scope));
  if (missing.length > 0) throw forbidden(`The key lacks the scope ${missing.join(' and ')}`);
}

function forbidden(message: string): ServiceError<'FORBIDDEN'> {
  return new ServiceError({ code: 'FORBIDDEN', message });
}
