import { createNodeClient, NodeError, type NodeApi, type RouteName } from '@cer/client/node-client';
import type { KeySource } from '../check/check-result.js';
import { KEY_SET_PATH } from '../check/key-set-path.js';

/** The node's answer, byte for byte, or that it has no usable one. */
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

export function connectToNode({ nodeUrl, timeoutMs, now }: NodeClientOptions): NodeClient {
  const client = createNodeClient({ nodeUrl, timeoutMs, retries: 0 });
  const get = (route: RouteName, maxAnswerBytes: number, query: Record<string, string> = {}): Promise<NodeAnswer> =>
    textOf(client.ask(route, { query }, { maxAnswerBytes }));
  let cached: { readonly answer: NodeAnswer; readonly source: KeySource; readonly atMs: number } | undefined;
  return {
    certificate: (hash) => get('lookup', CERTIFICATE_LIMIT_BYTES, { certificate_hash: hash }),
    project: (hash) => get('project', PROJECT_LIMIT_BYTES, { project_hash: hash }),
    execution: (id) => get('lookup', CERTIFICATE_LIMIT_BYTES, { execution_id: id }),
    logCheckpoint: () => get('logCheckpoint', LOG_LIMIT_BYTES),
    logProof: (hash) => get('logProof', LOG_LIMIT_BYTES, { certificate_hash: hash }),
    keyHistory: () => get('keyHistory', CERTIFICATE_LIMIT_BYTES),
    keySet: async () => {
      const at = now();
      // Both ways: the clock may have been set back.
      if (cached !== undefined && Math.abs(at.getTime() - cached.atMs) < KEY_SET_TTL_MS) return cached;
      const answer = await get('keys', CERTIFICATE_LIMIT_BYTES);
      const source: KeySource = { kind: 'node', where: `${nodeUrl}${KEY_SET_PATH}`, at: at.toISOString() };
      const fresh = { answer, source, atMs: at.getTime() };
      if (answer.kind === 'found') cached = fresh;
      return fresh;
    },
  };
}

async function textOf(asked: ReturnType<NodeApi['ask']>): Promise<NodeAnswer> {
  try {
    const { bytes } = await asked;
    return { kind: 'found', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    // Malformed requests are answered here, without the node; its 400 for a label that it refuses also counts as not
    // found.
    const isMissing = error instanceof NodeError && (error.status === 404 || error.status === 400);
    return { kind: isMissing ? 'not-found' : 'unavailable' };
  }
}
