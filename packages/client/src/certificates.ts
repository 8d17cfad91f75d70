/// <reference lib="esnext.disposable" preserve="true" />
import { platform } from '#client-platform';
import { createContexts } from './calls/call-context.js';
import { checkClient, checkFetchOptions, checkOptions, checkTool } from './check-options.js';
import { observeCalls } from './call-observer.js';
import { createEvidence } from './evidence.js';
import { aiSdkTelemetry, type AiSdkTelemetry } from './frameworks/ai-sdk.js';
import { guarded } from './frameworks/framework-call.js';
import { aiSdkMiddleware, type AiSdkMiddleware } from './frameworks/ai-sdk-middleware.js';
import type { Closing } from './frameworks/calls-by-id.js';
import { langChainHandler, type LangChainHandler } from './frameworks/langchain.js';
import { agentsProcessor, type AgentsProcessor } from './frameworks/openai-agents.js';
import { openCallsOfProcess } from './calls/open-calls.js';
import { observeTool } from './frameworks/tool-call.js';
import { meterStats } from './metrics.js';
import { accessOf } from './node-api/access.js';
import { createNodeApi, type NodeApi } from './node-api/node-api.js';
import { Attempts } from './observe/attempts.js';
import { OpenRefusals } from './observe/open-refusals.js';
import { observeMiddleware, type FetchMiddleware } from './observe/middleware.js';
import { observeFetch, type Fetch, type Observer } from './observe/observed-fetch.js';
import { certificateOf } from './calls/certificate-of.js';
import { createCertifiedAnswers, type SealedCall } from './calls/certified-answers.js';
import { runProject, type ProjectOptions } from './calls/run-project.js';
import { createRecorder } from './calls/recorder.js';
import { protocolOf, settingsOf, type CertificatesOptions } from './settings.js';
import type { Stats } from './stats.js';

/** A client of a provider's SDK that takes another fetch: OpenAI's, Anthropic's and those made like them. */
export interface FetchingClient {
  withOptions(options: { fetch: Fetch }): unknown;
}

/** Anthropic's client; versions before 1 have no middleware. */
export interface AnthropicClient {
  withOptions(options: { fetch?: Fetch; middleware?: FetchMiddleware[] }): unknown;
}

export interface FetchOptions {
  /** The provider in certificates; absent: by the host. */
  readonly provider?: string;
  /** The fetch that makes the calls. */
  readonly fetch?: Fetch;
}

export interface Certificates {
  /** The routes of the node. */
  readonly node: NodeApi;
  /** A fetch that certifies the calls of models made with it, and changes nothing about them. */
  fetch(options?: FetchOptions): Fetch;
  /** A copy of an OpenAI client whose calls are certified; its class and methods are the SDK's own. */
  openai<T extends FetchingClient>(client: T): T;
  /** A copy of an Anthropic client whose calls are certified; its class and methods are the SDK's own. */
  anthropic<T extends AnthropicClient>(client: T): T;
  /** An integration for `registerTelemetry` of the AI SDK 7. */
  aiSdk(): AiSdkTelemetry;
  /** A middleware for `wrapLanguageModel` of the AI SDK 5 and later. */
  aiSdkMiddleware(): AiSdkMiddleware;
  /** A handler for the option `callbacks` of LangChain. */
  langchain(): LangChainHandler;
  /** A processor for `addTraceProcessor` of OpenAI Agents: a trace is a project of its calls. */
  openaiAgents(): AgentsProcessor;
  /** The same function, whose calls are certified. */
  tool<A extends unknown[], R>(name: string, tool: (...args: A) => R): (...args: A) => R;
  /** Runs work whose calls become the steps of one project. Results and errors are those of the work. */
  run<T>(options: ProjectOptions, work: () => T): Promise<Awaited<T>>;
  /**
   * The certificate of an answer that the program has read: of a `Response`, of an answer or a part of one as an SDK
   * returned it, of an error of an SDK, or of the id that the provider assigned. Null where none of the newest observed
   * requests can be the one, or several can.
   */
  of(answer: unknown): SealedCall | null;
  stats(): Stats;
  /** Sends the waiting bundles. @returns the bundles that still wait afterwards; 10 s at most unless stated */
  flush(options?: { readonly timeoutMs?: number }): Promise<{ readonly waiting: number }>;
  /** Flushes, then stops. Remaining bundles are sent by the next process with the same spool folder. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** `close` at the end of the block, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Certificates for the calls that this program makes of models. Calls are sealed here and attested later, so a call
 * never waits for the node.
 * @throws TypeError for a missing or malformed address of the node, for an unknown or malformed option, and for options
 *   that contradict each other
 */
export function certificates(options: CertificatesOptions): Certificates {
  checkOptions(options);
  const settings = settingsOf(options);
  const access = accessOf(settings);
  const evidence = createEvidence(settings, access, platform);
  const { counts, failed } = evidence;
  const { meter } = settings;
  if (meter !== undefined) {
    guarded(failed, () => {
      meterStats(meter, () => evidence.stats());
    });
  }
  const contexts = createContexts();
  const { isFull, store } = evidence;
  const recorder = createRecorder({
    ...{ settings, counts, contexts, isFull, failed },
    store: ({ text }, isPromised) => store(text, isPromised),
  });
  const openCalls = openCallsOfProcess();
  const answers = createCertifiedAnswers();
  const attempts = new Attempts();
  const refusals = new OpenRefusals();
  const observingFetches = new WeakSet<Fetch>();
  const closing: Closing = new Set();
  const frameworks = { recorder, contexts, openCalls, closing, failed };
  const projects = {
    appId: settings.appId,
    contexts,
    store: (project: object) => {
      // Its calls are counted by themselves.
      if (!store(JSON.stringify(project))) failed(new Error('a project was not stored: the spool is full'));
    },
    failed,
  };

  const observer = (provider?: string): Observer =>
    observeCalls({ settings, recorder, contexts, openCalls, attempts, refusals, answers, failed }, provider);
  const fetchOf = ({ provider, fetch = settings.fetch }: FetchOptions = {}): Fetch =>
    observeFetch(fetch, observer(provider), observingFetches);

  const close: Certificates['close'] = async (given) => {
    refusals.end();
    for (const calls of closing) calls.endOpen();
    await evidence.close(given);
  };

  return {
    node: createNodeApi(access),
    fetch: (given) => {
      checkFetchOptions(given);
      return fetchOf(given);
    },
    openai: <T extends FetchingClient>(client: T): T => {
      checkClient('openai', client, 'new OpenAI()');
      return client.withOptions({ fetch: fetchOf({ fetch: fetchIn(client) ?? settings.fetch }) }) as T;
    },
    anthropic: <T extends AnthropicClient>(client: T): T => {
      checkClient('anthropic', client, 'new Anthropic()');
      const middleware = middlewareIn(client);
      const changed =
        middleware === null
          ? { fetch: fetchOf({ provider: 'anthropic', fetch: fetchIn(client) ?? settings.fetch }) }
          : { middleware: [...middleware, observeMiddleware(observer('anthropic'))] };
      return client.withOptions(changed) as T;
    },
    aiSdk: () => aiSdkTelemetry(frameworks),
    aiSdkMiddleware: () => aiSdkMiddleware(frameworks),
    langchain: () => langChainHandler(frameworks),
    openaiAgents: () => {
      answers.remember();
      return agentsProcessor({ ...frameworks, projects, answers, flush: () => evidence.flush() });
    },
    tool: (name, tool) => {
      checkTool(name, tool);
      return observeTool(frameworks, name, tool);
    },
    run: (given, work) => runProject(projects, given, work),
    of: (answer) => guarded(failed, () => certificateOf(answers, protocolOf(settings), answer)),
    stats: () => evidence.stats(),
    flush: (given) => evidence.flush(given),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** The fetch that an SDK's client uses, so that a caller's own one stays in place. */
function fetchIn(client: object): Fetch | null {
  const found: unknown = Reflect.get(client, 'fetch');
  return typeof found === 'function' ? (found as Fetch) : null;
}

function middlewareIn(client: object): readonly FetchMiddleware[] | null {
  const found: unknown = Reflect.get(client, 'middleware');
  return Array.isArray(found) ? (found as readonly FetchMiddleware[]) : null;
}
