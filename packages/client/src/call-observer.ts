import { platform } from '#client-platform';
import type { Contexts } from './calls/call-context.js';
import type { OpenCalls } from './calls/open-calls.js';
import type { Attempts } from './observe/attempts.js';
import { textOf, type Json } from './json.js';
import { BodyHash } from './observe/body-hash.js';
import { describeExchange } from './observe/describe-exchange.js';
import { Exchange, type Ended } from './observe/exchange.js';
import { isAnswerOfOther, type ModelCall } from './observe/model-call.js';
import type { OpenRefusals } from './observe/open-refusals.js';
import type { Observer, Watch } from './observe/observed-fetch.js';
import { ReadBody, type Follower } from './observe/pull-through.js';
import { factsOf, valueIn } from './observe/request-facts.js';
import { once, whileWaiting } from './observe/while-waiting.js';
import { namesOf } from './calls/certificate-of.js';
import type { CertifiedAnswers, ObservedAnswer } from './calls/certified-answers.js';
import type { Recorder, StartedCall } from './calls/recorder.js';
import { hashOfValue, type Sealed } from './seal/seal.js';
import { protocolOf, type Settings } from './settings.js';

const MAX_CONTENT_BYTES = 8 * 1024 * 1024;

export interface ObserverDeps {
  readonly settings: Settings;
  readonly recorder: Recorder;
  readonly contexts: Contexts;
  readonly openCalls: OpenCalls;
  readonly attempts: Attempts;
  readonly refusals: OpenRefusals;
  readonly answers: CertifiedAnswers;
  readonly failed: (error: unknown) => void;
}

/** Seals every request of a model when its answer ends. Only `admit` throws, and only when the options ask for it. */
export function observeCalls(deps: ObserverDeps, provider: string | undefined): Observer {
  const { settings, recorder, contexts, attempts, refusals, failed } = deps;

  const protocol = settings.redaction === undefined ? protocolOf(settings) : null;

  /** The hash of the answer as the program has it, which is not what was sealed where a redaction masks it. */
  const contentHashOf = (output: Json, sealed: Sealed | null): string | null => {
    const isAsSealed = settings.redaction === undefined || output === null;
    if (sealed !== null && isAsSealed) return textOf(sealed.bundle['snapshot'], 'outputHash');
    return output === null ? null : hashOfValue(output, protocolOf(settings));
  };

  const watch = (call: ModelCall, started: StartedCall, body: string): Watch => {
    const framework = contexts.current().call ?? deps.openCalls.claim(body, call.model);
    if (framework !== null) framework.isClaimed = true;
    const { href } = call.url;
    refusals.endOf(href, body);
    let forget = (): void => undefined;
    const callId = framework?.callId ?? attempts.resume(href, body, call.attempt) ?? started.executionId;
    const answer: ObservedAnswer = { certificate: null };
    const facts = once(() => factsOf(body, protocol, call.model));
    const ended = (end: Ended): void => {
      forget();
      if (end.outcome !== 'complete') attempts.ended(href, body, call.attempt, callId);
      const sealed = started.end(end.outcome, () => describeExchange(call, facts(), end, provider, { callId }));
      const names = namesOf(end.output, end.requestIds, contentHashOf(end.output, sealed));
      answer.certificate = deps.answers.add(names, sealed);
    };
    const maxContentBytes = settings.maxContentBytes ?? MAX_CONTENT_BYTES;
    const follow = (response: Response | null): Follower | null => {
      if (isAnswerOfOther(call, response)) {
        started.leave();
        return null;
      }
      const hash = new BodyHash(platform);
      const follower = safe(new Exchange(call, response, { maxContentBytes, hash, ended }), failed);
      if (response?.ok === false) forget = refusals.add(href, body, follower);
      return follower;
    };
    const miss = (): void => {
      started.miss();
    };
    const answered = (response: Response): void => {
      deps.answers.responses.set(response, answer);
    };
    return { follow, body: bodyBeside(facts), answered, miss };
  };

  return {
    admit: () => {
      recorder.admit();
    },
    begin: (call) => {
      const { body } = call;
      if (body === null) {
        recorder.passOver();
        return null;
      }
      const started = recorder.begin(call.url.href, () => valueIn(body));
      return started === null ? null : watch(call, started, body);
    },
    turn: platform.turn,
    failed,
  };
}

/**
 * The body for the caller, made with the facts while the provider works. It is not in the scope of what ends the call, so
 * that the garbage collector can find a body that the program dropped.
 */
function bodyBeside(facts: () => object): () => ReadBody {
  const body = once(() => new ReadBody('bytes'));
  whileWaiting(platform.turn, facts, body);
  return body;
}

/** A fault in following a call must not reach the caller's stream. */
function safe(exchange: Exchange, failed: (error: unknown) => void): Follower {
  const guarded =
    <Args extends unknown[]>(work: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        work(...args);
      } catch (error) {
        failed(error);
      }
    };
  return {
    handOn: guarded(exchange.handOn.bind(exchange)),
    end: guarded(exchange.end.bind(exchange)),
    cancel: guarded(exchange.cancel.bind(exchange)),
    break: guarded(exchange.break.bind(exchange)),
  };
}
