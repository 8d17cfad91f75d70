import { JsonError, parseJson, type JsonValue } from '@cer/canonical-json';
import { readBounded } from '@cer/ndjson';
import { abortAfter } from './abort-after.js';
import { connectionFault } from './connection-fault.js';
import { secondsOf } from './timeout.js';
import { webAddress } from './web-address.js';

/** A document that a node publishes under a fixed path, and the flag that names the node. */
export interface Published {
  readonly flag: string;
  readonly path: string;
}

export const PUBLISHED_KEY_SET: Published = { flag: '--keys', path: '/.well-known/svc-node.json' };
export const PUBLISHED_KEY_HISTORY: Published = { flag: '--history', path: '/.well-known/svc-key-history.json' };

/** A failed fetch from a node, as one sentence without a stack trace. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault';
}

/**
 * Where a node publishes its keys.
 * @param source a node's base address, or the address of the document itself (ending in `.json`)
 * @throws UsageError when it is not an address, or holds a password
 */
export function publishedAddress(source: string, { flag, path }: Published): string {
  const url = webAddress(source, flag);
  url.hash = '';
  if (!url.pathname.endsWith('.json')) url.pathname = url.pathname.replace(/\/*$/, path);
  return url.href;
}

/**
 * Fetches a JSON document. Redirects are refused: the address is what the caller trusts.
 * @param maxBytes a longer response is abandoned while it arrives
 * @param maxMs time for the whole answer
 * @throws FetchFault unless strict JSON with status 200 arrives in that time
 */
export async function fetchJson(address: string, maxBytes: number, maxMs: number): Promise<JsonValue> {
  const body = await fetchBytes(address, maxBytes, maxMs, 'application/json');
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof JsonError) throw new FetchFault('its answer is not strict JSON');
    throw error;
  }
}

/**
 * Fetches the bytes of a document, with the rules of {@link fetchJson}.
 * @throws FetchFault unless an answer with status 200 arrives in time
 */
export async function fetchBytes(
  address: string,
  maxBytes: number,
  maxMs: number,
  accept = '*/*',
): Promise<Uint8Array> {
  try {
    return await abortAfter(maxMs, (signal) => fetchBody(address, maxBytes, signal, accept));
  } catch (error) {
    throw asFetchFault(error, maxMs);
  }
}

async function fetchBody(address: string, maxBytes: number, signal: AbortSignal, accept: string): Promise<Uint8Array> {
  const response = await fetch(address, {
    headers: { accept },
    redirect: 'manual',
    signal,
  });
  if (response.status >= 300 && response.status < 400) {
    throw new FetchFault('it redirects to another address; use that one');
  }
  if (response.status !== 200) throw new FetchFault(`it answered with status ${response.status}`);
  const body = await readBounded(response.body, maxBytes);
  if (body === null) throw new FetchFault(`its answer is larger than ${maxBytes} bytes`);
  return body;
}

function asFetchFault(error: unknown, maxMs: number): FetchFault {
  if (error instanceof FetchFault) return error;
  const name = typeof error === 'object' && error !== null && 'name' in error ? error.name : null;
  if (name === 'TimeoutError') return new FetchFault(`no answer within ${secondsOf(maxMs)}`);
  return new FetchFault(`no connection${connectionFault(error)}`);
}
