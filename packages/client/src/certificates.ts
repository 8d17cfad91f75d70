import { platform } from '#client-platform';
import { observeCalls } from './call-observer.js';
import { isMembers, textOf, type JsonMembers } from './json.js';
import { parseResults } from './node-api/lines.js';
import { createNodeApi, type NodeApi } from './node-api/node-api.js';
import { request, type NodeAccess } from './node-api/request.js';
import { observeFetch, type Fetch } from './observe/observed-fetch.js';
import type { Sealed } from './seal/seal.js';
import { settingsOf, type CertificatesOptions, type Settings } from './settings.js';
import { createDrain } from './spool/drain.js';
import { createMemorySpool } from './spool/memory-spool.js';
import type { Spool } from './spool/spool.js';
import { newCounts, type Stats } from './stats.js';

const MAX_SPOOL_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const RETRIES = 3;

/** A client of a provider's SDK that takes another fetch: OpenAI's, Anthropic's and those made like them. */
export interface FetchingClient {
  withOptions(options: { fetch: Fetch }): unknown;
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
  stats(): Stats;
  /** Sends what waits. @returns the bundles that still wait afterwards; 10 s at most unless stated */
  flush(options?: { readonly timeoutMs?: number }): Promise<{ readonly waiting: number }>;
  /** Flushes, then stops. What still waits is sent by the next process with the same spool folder. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/**
 * Certificates for the calls that this program makes of models. Calls are sealed here and attested later, so a call
 * never waits for the node.
 * @throws TypeError for a missing or malformed address of the node
 */
export function certificates(options: CertificatesOptions): Certificates {
  const settings = settingsOf(options);
  const access = accessOf(settings);
  const counts = newCounts();
  const quietly = (hook: () => void): void => {
    try {
      hook();
    } catch {
      // A hook of the caller must not end the caller's request; its fault is counted.
      counts.errors += 1;
    }
  };
  const failed = (error: unknown): void => {
    counts.errors += 1;
    quietly(() => settings.onError?.(error));
  };
  const spools = openSpools(settings, failed);
  const drain = createDrain({
    spools,
    attest: (texts) =>
      request(
        access,
        'attestBatch',
        {
          body: { text: `${texts.join('\n')}\n`, type: 'application/x-ndjson' },
          accept: 'application/x-ndjson',
          options: { retries: 0 },
        },
        async (response) => parseResults(await response.text()),
      ),
    attested: (answer) => {
      counts.attested += 1;
      quietly(() => settings.onCertified?.(certifiedCall(answer)));
    },
    dead: (bundle, code) => {
      counts.dead += 1;
      quietly(() => settings.onDeadLetter?.(bundle, code));
    },
    failed,
    random: Math.random,
    unref: platform.unref,
  });

  const store = ({ text }: Sealed): boolean => {
    const isStored = putInto(spools, text, failed);
    drain.start();
    return isStored;
  };
  const maxBytes = settings.maxSpoolBytes ?? MAX_SPOOL_BYTES;
  const isFull = (): boolean => spools.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0) >= maxBytes;
  const scope = platform.createScope();
  const fetchOf = ({ provider, fetch = settings.fetch }: FetchOptions = {}): Fetch =>
    observeFetch(fetch, observeCalls({ settings, counts, isFull, store, failed }, provider), scope);
  const sum = (name: 'waiting' | 'waitingBytes' | 'torn' | 'adopted'): number =>
    spools.reduce((total, spool) => total + spool[name], 0);

  // What earlier processes left is sent first.
  if (sum('waiting') > 0) drain.start();

  const flush = async ({ timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {}): Promise<{ waiting: number }> => {
    await drain.flush(timeoutMs);
    return { waiting: sum('waiting') };
  };
  return {
    node: createNodeApi(access),
    fetch: fetchOf,
    openai: <T extends FetchingClient>(client: T): T =>
      client.withOptions({ fetch: fetchOf({ fetch: fetchIn(client) ?? settings.fetch }) }) as T,
    stats: () => ({
      ...counts,
      outcomes: { ...counts.outcomes },
      waiting: sum('waiting'),
      waitingBytes: sum('waitingBytes'),
      torn: sum('torn'),
      adopted: sum('adopted'),
    }),
    flush,
    close: async (given) => {
      await flush(given);
      drain.stop();
      for (const spool of spools) await spool.close();
    },
  };
}

function accessOf(settings: Settings): NodeAccess {
  return {
    url: settings.nodeUrl,
    apiKey: settings.apiKey ?? null,
    fetch: settings.fetch,
    timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
    retries: settings.retries ?? RETRIES,
    random: Math.random,
  };
}

/** The folder's spool, then memory for what the folder does not take. */
function openSpools(settings: Settings, failed: (error: unknown) => void): readonly Spool[] {
  const limits = { maxBytes: settings.maxSpoolBytes ?? MAX_SPOOL_BYTES };
  const memory = createMemorySpool(limits);
  if (settings.spoolDir === null || platform.openFileSpool === null) return [memory];
  try {
    return [platform.openFileSpool(settings.spoolDir, limits), memory];
  } catch (error) {
    failed(error);
    return [memory];
  }
}

/** A full spool is not passed over: the next one takes what a fault kept out. */
function putInto(spools: readonly Spool[], text: string, failed: (error: unknown) => void): boolean {
  for (const spool of spools) {
    try {
      return spool.put(text);
    } catch (error) {
      failed(error);
    }
  }
  return false;
}

function certifiedCall(answer: JsonMembers): Parameters<NonNullable<Settings['onCertified']>>[0] {
  const { cer } = answer;
  const snapshot = isMembers(cer) ? cer['snapshot'] : null;
  return {
    executionId: textOf(snapshot, 'executionId'),
    certificateHash: textOf(answer, 'certificateHash') ?? '',
    verificationUrl: textOf(answer, 'verificationUrl'),
    answer,
  };
}

/** The fetch that an SDK's client uses, so that a caller's own one stays in place. */
function fetchIn(client: object): Fetch | null {
  const found: unknown = Reflect.get(client, 'fetch');
  return typeof found === 'function' ? (found as Fetch) : null;
}
