import { fetchTransport } from './fetch-transport.js';
import type { NodeAccess } from './request.js';
import type { Transport } from './transport.js';

const TIMEOUT_MS = 30_000;
const RETRIES = 3;
/** The largest project, with a margin. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** A node and how it is reached. */
export interface NodeClientOptions {
  /** Its http or https address. */
  readonly nodeUrl: string;
  readonly apiKey?: string;
  /** The fetch for the node. */
  readonly fetch?: typeof globalThis.fetch;
  /** The transport for requests to the node, in place of `fetch`: see `@cer/client/node-transport`. */
  readonly transport?: Transport;
  /** Maximum milliseconds of one attempt, as the transport counts them. 30 s when absent. */
  readonly timeoutMs?: number;
  /** Maximum further attempts after the first. 3 when absent. */
  readonly retries?: number;
  /** Maximum bytes of an answer that is read whole, and of one line of a streamed answer. 256 MiB when absent. */
  readonly maxAnswerBytes?: number;
}

/**
 * A secret without the white space around it.
 * @throws TypeError for text that a header cannot carry: the errors of `fetch` would quote it
 */
export function sendable(secret: string, name: string, what = 'secret'): string {
  const text = secret.trim();
  if (/^[\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw new TypeError(`${name}: must hold the ${what} and nothing else`);
}

/**
 * The address of a node, without a slash at its end.
 * @param otherwise where the address may come from instead, for the message
 * @throws TypeError for anything but a http or https address, and for one with a password
 */
export function addressOf(nodeUrl: string, otherwise = ''): string {
  if (!/^https?:\/\//i.test(nodeUrl) || !URL.canParse(nodeUrl)) {
    throw new TypeError(`nodeUrl: must be a http or https address${otherwise}, such as http://127.0.0.1:4100`);
  }
  const { username, password, href } = new URL(nodeUrl);
  if (username !== '' || password !== '') throw new TypeError('nodeUrl: must not hold a password');
  return href.replace(/\/+$/, '');
}

/** The options with every default in place. @throws TypeError for an address or a key that cannot be one */
export function accessOf(options: NodeClientOptions): NodeAccess {
  const { nodeUrl, apiKey, fetch, transport, timeoutMs, retries, maxAnswerBytes } = options;
  return {
    url: addressOf(nodeUrl),
    // An empty variable is a missing one.
    apiKey: sendable(apiKey ?? '', 'apiKey', 'API key') || null,
    transport: transport ?? fetchTransport(fetch ?? globalThis.fetch),
    timeoutMs: timeoutMs ?? TIMEOUT_MS,
    retries: retries ?? RETRIES,
    maxAnswerBytes: maxAnswerBytes ?? MAX_ANSWER_BYTES,
    random: Math.random,
  };
}
