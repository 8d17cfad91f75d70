import { stat } from 'node:fs/promises';
import { KeyError, parseKeySet, type NodeKeySet } from '@cer/keys';
import type { JsonValue } from '@cer/canonical-json';
import type { KeyHistoryFinding, KeyHistoryNotice } from '@cer/cer-core/logs';
import { TIMEOUT_MS, timeoutMs } from '../http/timeout.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { nameOf, readBytes } from '../files/read-bytes.js';
import { readOwnJson } from '../files/read-json.js';

const MAX_KEY_SET_BYTES = 1024 * 1024;

/** The source of a key set, for the reader of a report to judge. */
export interface KeySource {
  readonly kind: 'file' | 'url';
  /** Path or address. */
  readonly from: string;
  /** When the file was last changed, or when the address was fetched; null when unknown. */
  readonly date: string | null;
}

/** The keys the caller pinned. */
export interface KeyMaterial {
  readonly keySet: NodeKeySet;
  /** The document as read, so that it can be sent to another thread. */
  readonly document: JsonValue;
  readonly source: KeySource;
  /** Set when the keys come from a key history that a pinned root vouches for. */
  readonly voucher?: KeyVoucher;
}

/** The root that vouches for a key set, and its limits. @see docs/spec.md, "Key history verification" */
export interface KeyVoucher {
  readonly rootFingerprint: string;
  readonly revocationsKnownUntil: string;
  readonly notices: readonly KeyHistoryFinding<KeyHistoryNotice>[];
}

/** Keys, or the reason for their absence: without them signatures stay unchecked, and the verdict says so. */
export type KeyLookup =
  | { readonly material: KeyMaterial; readonly unavailable: null }
  | { readonly material: null; readonly unavailable: string | null };

export const NO_KEYS: KeyLookup = { material: null, unavailable: null };

export const isUrl = (source: string): boolean => /^https?:\/\//i.test(source);

/**
 * Loads the key set that `--keys` names. A file never touches the network.
 * @throws UsageError when a file is missing or holds no key set, or an address is malformed
 */
export async function loadKeys(source: string | undefined, io: Pick<Io, 'stdin' | 'now' | 'env'>): Promise<KeyLookup> {
  if (source === undefined) return NO_KEYS;
  if (isUrl(source)) return fetchKeys(source, io);
  const document = readOwnJson(await readBytes(source, io.stdin, MAX_KEY_SET_BYTES), source);
  const date = source === '-' ? null : (await stat(source)).mtime.toISOString();
  try {
    return available(document, { kind: 'file', from: source, date });
  } catch (error) {
    if (error instanceof KeyError) {
      throw new UsageError(
        `${nameOf(source)}: ${error.message}. Save the key set of the node, /.well-known/svc-node.json`,
      );
    }
    throw error;
  }
}

async function fetchKeys(source: string, io: Pick<Io, 'now' | 'env'>): Promise<KeyLookup> {
  // Loaded here only: with keys from a file, no networking code is loaded at all.
  const { fetchJson, FetchFault, PUBLISHED_KEY_SET, publishedAddress } = await import('../http/fetch-json.js');
  const address = publishedAddress(source, PUBLISHED_KEY_SET);
  try {
    const document = await fetchJson(address, MAX_KEY_SET_BYTES, timeoutMs(io, TIMEOUT_MS.keys));
    return available(document, { kind: 'url', from: address, date: io.now().toISOString() });
  } catch (error) {
    if (!(error instanceof FetchFault) && !(error instanceof KeyError)) throw error;
    return { material: null, unavailable: `the keys could not be fetched from ${address}: ${error.message}` };
  }
}

function available(document: JsonValue, source: KeySource): KeyLookup {
  return { material: { keySet: parseKeySet(document), document, source }, unavailable: null };
}
