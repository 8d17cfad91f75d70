import type { NodeAccess } from './request.js';

const TIMEOUT_MS = 30_000;
const RETRIES = 3;

/** A node and how it is reached. */
export interface NodeClientOptions {
  /** Its http or https address. */
  readonly nodeUrl: string;
  readonly apiKey?: string;
  /** The fetch for the node. */
  readonly fetch?: typeof globalThis.fetch;
  /** Maximum milliseconds of one attempt. 30 s when absent. */
  readonly timeoutMs?: number;
  /** Maximum further attempts after the first. 3 when absent. */
  readonly retries?: number;
}

/** The options with every default in place. */
export function accessOf({ nodeUrl, apiKey, fetch, timeoutMs, retries }: NodeClientOptions): NodeAccess {
  return {
    url: nodeUrl.replace(/\/+$/, ''),
    apiKey: apiKey ?? null,
    fetch: fetch ?? globalThis.fetch,
    timeoutMs: timeoutMs ?? TIMEOUT_MS,
    retries: retries ?? RETRIES,
    random: Math.random,
  };
}
