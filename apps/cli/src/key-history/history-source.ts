import { stat } from 'node:fs/promises';
import type { JsonValue } from '@cer/canonical-json';
import { isUrl, type KeySource } from '../trusted-keys/key-material.js';
import { readBytes } from '../files/read-bytes.js';
import { readOwnJson } from '../files/read-json.js';
import { TIMEOUT_MS, timeoutMs } from '../http/timeout.js';
import type { Io } from '../io.js';

/** More than a history of 10000 entries takes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A key history as it was read; nothing in it is verified yet. */
export type ReadHistory =
  | { readonly document: JsonValue; readonly source: KeySource; readonly unavailable: null }
  | { readonly document: null; readonly unavailable: string };

/**
 * Reads a key history from a file, or from the node at an address. A file never touches the network.
 * @throws UsageError when a file is missing or holds no JSON, or an address is malformed
 */
export async function readHistory(source: string, io: Pick<Io, 'stdin' | 'now' | 'env'>): Promise<ReadHistory> {
  if (isUrl(source)) return fetchHistory(source, io);
  const document = readOwnJson(await readBytes(source, io.stdin, MAX_BYTES), source);
  const date = source === '-' ? null : (await stat(source)).mtime.toISOString();
  return { document, source: { kind: 'file', from: source, date }, unavailable: null };
}

async function fetchHistory(source: string, io: Pick<Io, 'now' | 'env'>): Promise<ReadHistory> {
  // Loaded here only: where a file is read, no code that could open a connection is even read.
  const { fetchJson, FetchFault, PUBLISHED_KEY_HISTORY, publishedAddress } = await import('../http/fetch-json.js');
  const address = publishedAddress(source, PUBLISHED_KEY_HISTORY);
  try {
    const document = await fetchJson(address, MAX_BYTES, timeoutMs(io, TIMEOUT_MS.keys));
    return { document, source: { kind: 'url', from: address, date: io.now().toISOString() }, unavailable: null };
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error;
    return { document: null, unavailable: `the key history could not be fetched from ${address}: ${error.message}` };
  }
}
