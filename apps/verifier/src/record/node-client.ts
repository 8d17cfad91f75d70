import { createNodeClient, NodeError, type NodeApi, type RouteName } from '@cer/client/node-client';
import { BodyBudget } from '@cer/http-service';
import type { KeySource } from '../check/check-result.js';
import { KEY_SET_PATH } from '../check/key-set-path.js';
import { decodeAnswer } from './decode-answer.js';

/** That the node has no usable answer. */
type NoAnswer = { readonly kind: 'not-found' } | { readonly kind: 'unavailable' };
/** The node's answer, byte for byte, or that it has no usable one. */
export type NodeAnswer = { readonly kind: 'found'; readonly text: string } | NoAnswer;
/** The same for a record, which may be large. */
export type RecordAnswer = { readonly kind: 'found'; readonly bytes: Uint8Array } | NoAnswer;

/** Fetches a record. A large one counts as memory in use until `use` has ended. */
type FetchRecord = <T>(key: string, use: (answer: RecordAnswer) => T | Promise<T>) => Promise<T>;

/** The node's keyless routes. Its address is fixed by configuration: nothing a visitor sends can change it. */
export interface NodeClient {
  readonly certificate: FetchRecord;
  readonly project: FetchRecord;
  /** Whether the node has a project, without fetching it; false also when the node does not answer. */
  readonly hasProject: (projectHash: string) => Promise<boolean>;
  readonly execution: FetchRecord;
  readonly keySet: () => Promise<{ readonly answer: NodeAnswer; readonly source: KeySource }>;
  readonly keyHistory: () => Promise<NodeAnswer>;
  readonly logCheckpoint: () => Promise<NodeAnswer>;
  readonly logProof: (certificateHash: string) => Promise<NodeAnswer>;
}

export interface NodeClientOptions {
  readonly nodeUrl: string;
  readonly timeoutMs: number;
  readonly now: () => Date;
  /** Maximum bytes of large records in memory, of all requests together; one of any accepted size is always fetched. */
  readonly recordsAtOnceBytes?: number;
}

const CERTIFICATE_LIMIT_BYTES = 32 * 1024 * 1024;
/** The largest project that a node registers. @see docs/spec.md, "Limits" */
const PROJECT_LIMIT_BYTES = 128 * 1024 * 1024;
/** A checkpoint with its cosignatures, and a proof with two of them. */
const LOG_LIMIT_BYTES = 1024 * 1024;
/** Far below the time for which a node announces a new key, so that no signature waits for this cache. */
const KEY_SET_TTL_MS = 5000;

export function connectToNode(options: NodeClientOptions): NodeClient {
  const { nodeUrl, timeoutMs, now, recordsAtOnceBytes = PROJECT_LIMIT_BYTES } = options;
  const client = createNodeClient({ nodeUrl, timeoutMs, retries: 0 });
  const budget = new BodyBudget(recordsAtOnceBytes);
  const get = async (
    route: RouteName,
    maxAnswerBytes: number,
    query: Record<string, string> = {},
  ): Promise<NodeAnswer> => textOf(await answerOf(client.ask(route, { query }, { maxAnswerBytes })));
  const fetcher =
    (route: RouteName, name: string, maxAnswerBytes: number): FetchRecord =>
    async (key, use) => {
      const held = budget.open();
      const asked = client.ask(route, { query: { [name]: key } }, { maxAnswerBytes, onBytes: held.arrived });
      try {
        return await use(await answerOf(asked));
      } finally {
        held.release();
      }
    };
  let cached: { readonly answer: NodeAnswer; readonly source: KeySource; readonly atMs: number } | undefined;
  return {
    certificate: fetcher('lookup', 'certificate_hash', CERTIFICATE_LIMIT_BYTES),
    project: fetcher('project', 'project_hash', PROJECT_LIMIT_BYTES),
    hasProject: (hash) => hasAnswer(client.ask('project', { query: { project_hash: hash } }, { maxAnswerBytes: 0 })),
    execution: fetcher('lookup', 'execution_id', CERTIFICATE_LIMIT_BYTES),
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

function textOf(answer: RecordAnswer): NodeAnswer {
  if (answer.kind !== 'found') return answer;
  try {
    return { kind: 'found', text: decodeAnswer(answer.bytes) };
  } catch {
    return { kind: 'unavailable' };
  }
}

async function answerOf(asked: ReturnType<NodeApi['ask']>): Promise<RecordAnswer> {
  try {
    return { kind: 'found', bytes: (await asked).bytes };
  } catch (error) {
    // Malformed requests are answered here, without the node; its 400 for a label that it refuses also counts as not
    // found.
    const isMissing = error instanceof NodeError && (error.status === 404 || error.status === 400);
    return { kind: isMissing ? 'not-found' : 'unavailable' };
  }
}

/** @param asked with a limit of no bytes, so that any answer is over it */
async function hasAnswer(asked: ReturnType<NodeApi['ask']>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    return error instanceof NodeError && error.code === 'ANSWER_TOO_LARGE';
  }
}
