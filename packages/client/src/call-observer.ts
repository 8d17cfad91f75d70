import { parseJson } from '@cer/canonical-json';
import { platform } from '#client-platform';
import type { Json } from './json.js';
import { Exchange, type Ended } from './observe/exchange.js';
import type { ModelCall } from './observe/model-call.js';
import type { Observer } from './observe/observed-fetch.js';
import type { Follower } from './observe/pull-through.js';
import { executionOf, type CallFacts } from './seal/execution-of.js';
import { seal, SealError, type Sealed } from './seal/seal.js';
import type { Settings } from './settings.js';
import type { Counts } from './stats.js';
import { uuidV7 } from './uuid-v7.js';

const MAX_CONTENT_BYTES = 8 * 1024 * 1024;

export interface ObserverDeps {
  readonly settings: Settings;
  readonly counts: Counts;
  readonly isFull: () => boolean;
  /** Stores a sealed bundle. @returns false when the spool is full */
  readonly store: (sealed: Sealed) => boolean;
  /** Counts a fault and reports it; does not throw. */
  readonly failed: (error: unknown) => void;
}

/** Seals every call that it sees when the call ends. Only `admit` throws, and only when the options ask for it. */
export function observeCalls(deps: ObserverDeps, provider: string | undefined): Observer {
  const { settings, counts, failed } = deps;

  const follower = (call: ModelCall, response: Response | null, body: string): Follower => {
    const startedAt = new Date();
    counts.open += 1;
    const exchange = new Exchange(call, response, {
      maxContentBytes: settings.maxContentBytes ?? MAX_CONTENT_BYTES,
      hash: platform.sha256(),
      ended: (ended) => {
        counts.open -= 1;
        const facts = {
          executionId: uuidV7(startedAt.getTime()),
          appId: settings.appId,
          provider,
          startedAt: startedAt.toISOString(),
          endedAt: new Date().toISOString(),
        };
        record(facts, call, body, ended);
      },
    });
    return safe(exchange, failed);
  };

  const record = (facts: CallFacts, call: ModelCall, body: string, ended: Ended): void => {
    try {
      const sealed = sealCall(facts, call, body, ended);
      if (deps.store(sealed)) {
        counts.sealed += 1;
        counts.outcomes[ended.outcome] += 1;
      } else counts.dropped += 1;
    } catch (error) {
      counts.unsealed += 1;
      failed(error);
    }
  };

  return {
    admit: () => {
      if (settings.onFull === 'throw-before-call' && deps.isFull()) {
        throw new Error('the call was not made: the spool of certificates is full');
      }
    },
    follow: (call, response) => {
      counts.seen += 1;
      if (call.body === null) {
        counts.unsealed += 1;
        return null;
      }
      if (!isWanted(deps, call, call.body)) {
        counts.skipped += 1;
        return null;
      }
      return follower(call, response, call.body);
    },
    passOver: () => {
      counts.seen += 1;
      counts.unsealed += 1;
    },
    failed,
  };
}

/** With a hook that fails, the call is certified. */
function isWanted({ settings, failed }: ObserverDeps, { url }: ModelCall, body: string): boolean {
  try {
    return settings.certify === undefined || settings.certify({ url: url.href, body: valueIn(body) });
  } catch (error) {
    failed(error);
    return true;
  }
}

/** Content that JSON rules refuse (a lone surrogate, too many levels) is sealed as the text that was sent. */
function sealCall(facts: CallFacts, call: ModelCall, body: string, ended: Ended): Sealed {
  try {
    return seal(executionOf(facts, call, valueIn(body), ended));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return seal(executionOf(facts, call, body, { ...ended, output: null }));
  }
}

function valueIn(body: string): Json {
  try {
    const value = parseJson(body);
    return typeof value === 'object' && value !== null ? value : body;
  } catch {
    // Not strict JSON: the text is the input.
    return body;
  }
}

/** A fault in following a call must not reach the caller's stream. */
function safe(exchange: Exchange, failed: (error: unknown) => void): Follower {
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      failed(error);
    }
  };
  return {
    handOn: (chunk) => {
      guarded(() => {
        exchange.handOn(chunk);
      });
    },
    end: () => {
      guarded(() => {
        exchange.end();
      });
    },
    cancel: () => {
      guarded(() => {
        exchange.cancel();
      });
    },
    break: (error) => {
      guarded(() => {
        exchange.break(error);
      });
    },
  };
}
