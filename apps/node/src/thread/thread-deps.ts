import type { Attestor } from '@cer/cer-core/attest';
import type { ProjectDeps } from '../projects/register.js';
import type { CertifyDeps } from '../certify/certify.js';
import { secretsOf } from '../certify/commitment-secrets.js';
import type { CallResult, FromThread, ThreadCall, ThreadSettings, ToThread } from '../large-work/large-job.js';
import type { ErrorRelay } from '../large-work/relayed-errors.js';
import type { Signing } from '../signing/signing.js';

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The calls of one job to the main thread. */
export class ThreadCalls {
  readonly #send: (message: FromThread, transfer?: readonly ArrayBuffer[]) => void;
  readonly #relay: ErrorRelay;
  readonly #waiting: Waiting[] = [];

  constructor(send: (message: FromThread, transfer?: readonly ArrayBuffer[]) => void, relay: ErrorRelay) {
    this.#send = send;
    this.#relay = relay;
  }

  async ask<Asked extends ThreadCall>(asked: Asked): Promise<CallResult<Asked['ask']>> {
    const result = await new Promise<unknown>((resolve, reject) => {
      const call = this.#waiting.push({ resolve, reject }) - 1;
      this.#send({ call, asked });
    });
    return result as CallResult<Asked['ask']>;
  }

  settle(message: Exclude<ToThread, { job: unknown }>): void {
    const waiting = this.#waiting[message.call];
    if ('thrown' in message) waiting?.reject(this.#relay.receive(message.thrown));
    else waiting?.resolve(message.result);
  }
}

/** Dependencies of certify and attest, with signer, store and quota on the main thread. */
export function threadDeps(
  { verifyUrl, verifyLimitBytes, hasLog, secrets }: ThreadSettings,
  now: () => Date,
  calls: ThreadCalls,
): CertifyDeps {
  const onMainThread = (): never => {
    throw new Error('the main thread looks records up');
  };
  return {
    verifyUrl,
    verifyLimitBytes,
    log: hasLog ? { proofs: { find: (...of) => calls.ask({ ask: 'proof', of }) } } : null,
    secrets: secretsOf(secrets.activeId, secrets.byId),
    now,
    signing: signingOf(calls),
    // The main thread writes within the quota.
    quota: { admit: (_tenantId, _limits, { write }) => write() },
    records: {
      // The main thread alone knows how many records are being signed.
      expectRecord: () => () => undefined,
      recordOnce: (record) => calls.ask({ ask: 'record', record }),
      findExecution: onMainThread,
      findOwnByHash: onMainThread,
    },
  };
}

/** Dependencies of registering a project. */
export function registerDeps(
  { verifyUrl, hasLog }: ThreadSettings,
  now: () => Date,
  calls: ThreadCalls,
): Omit<ProjectDeps, 'timestamps'> {
  return {
    verifyUrl,
    hasLog,
    now,
    signing: signingOf(calls),
    keySet: () => calls.ask({ ask: 'keys' }),
    store: {
      records: { visibilityOfFullRecords: (...of) => calls.ask({ ask: 'full records', of }) },
      projects: {
        registerOnce: (registration, leaf) => calls.ask({ ask: 'register', registration, leaf }),
        findOwnByHash: (...of) => calls.ask({ ask: 'own project', of }),
      },
    },
  };
}

function signingOf(calls: ThreadCalls): Pick<Signing, 'attestorAt'> {
  return {
    attestorAt: async (): Promise<Attestor> => {
      const { kid, publicKey, ...node } = await calls.ask({ ask: 'attestor' });
      return { ...node, signer: { kid, publicKey, sign: (message) => calls.ask({ ask: 'sign', message }) } };
    },
  };
}
