import type { KeySource } from '../check/check-result.js';
import { KEY_HISTORY_PATH, KEY_SET_PATH } from '../check/key-set-path.js';

/** What the node said, byte for byte, or that it said nothing of use. */
export type NodeAnswer =
  { readonly kind: 'found'; readonly text: string } | { readonly kind: 'not-found' } | { readonly kind: 'unavailable' };

/** The node's keyless routes. Its address is fixed by configuration: nothing a visitor sends can change it. */
export interface NodeClient {
  readonly certificate: (certificateHash: string) => Promise<NodeAnswer>;
  readonly project: (projectHash: string) => Promise<NodeAnswer>;
  readonly execution: (executionId: string) => Promise<NodeAnswer>;
  readonly keySet: () => Promise<{ readonly answer: NodeAnswer; readonly source: KeySource }>;
  readonly keyHistory: () => Promise<NodeAnswer>;
  readonly logCheckpoint: () => Promise<NodeAnswer>;
  readonly logProof: (certificateHash: string) => Promise<NodeAnswer>;
}

export interface NodeClientOptions {
  readonly nodeUrl: string;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

const CERTIFICATE_LIMIT_BYTES = 32 * 1024 * 1024;
const PROJECT_LIMIT_BYTES = 256 * 1024 * 1024;
/** A checkpoint with its cosignatures, and a proof with two of them. */
const LOG_LIMIT_BYTES = 1024 * 1024;
/** Far below the time for which a node announces a new key, so that no signature waits for this cache. */
const KEY_SET_TTL_MS = 5000;

export function createNodeClient({ nodeUrl, timeoutMs, now }: NodeClientOptions): NodeClient {
  const get = (path: string, limitBytes: number): Promise<NodeAnswer> =>
    fetchText(`${nodeUrl}${path}`, limitBytes, timeoutMs);
  let cached: { readonly answer: NodeAnswer; readonly source: KeySource; readonly until: number } | undefined;
  return {
    certificate: (hash) => get(`/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`, CERTIFICATE_LIMIT_BYTES),
    project: (hash) => get(`/v1/project-bundle/public?project_hash=${encodeURIComponent(hash)}`, PROJECT_LIMIT_BYTES),
    execution: (id) => get(`/v1/cer/public?execution_id=${encodeURIComponent(id)}`, CERTIFICATE_LIMIT_BYTES),
    logCheckpoint: () => get('/log/checkpoint', LOG_LIMIT_BYTES),
    logProof: (hash) => get(`/v1/log/proof?certificate_hash=${encodeURIComponent(hash)}`, LOG_LIMIT_BYTES),
    keyHistory: () => get(KEY_HISTORY_PATH, CERTIFICATE_LIMIT_BYTES),
    keySet: async () => {
      const at = now();
      if (cached !== undefined && at.getTime() < cached.until) return cached;
      const answer = await get(KEY_SET_PATH, CERTIFICATE_LIMIT_BYTES);
      const source: KeySource = { kind: 'node', where: `${nodeUrl}${KEY_SET_PATH}`, at: at.toISOString() };
      const fresh = { answer, source, until: at.getTime() + KEY_SET_TTL_MS };
      if (answer.kind === 'found') cached = fresh;
      return fresh;
    },
  };
}

async function fetchText(url: string, limitBytes: number, timeoutMs: number): Promise<NodeAnswer> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json' },
    });
    if (!response.ok) {
      await response.body?.cancel();
      // A malformed question is answered before it is asked; 400 for a label the node does not take finds nothing either.
      return { kind: response.status === 404 || response.status === 400 ? 'not-found' : 'unavailable' };
    }
    const text = await textUpTo(response, limitBytes);
    return text === null ? { kind: 'unavailable' } : { kind: 'found', text };
  } catch {
    return { kind: 'unavailable' };
  }
}

async function textUpTo(response: Response, limitBytes: number): Promise<string | null> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > limitBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(next.value);
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
}
