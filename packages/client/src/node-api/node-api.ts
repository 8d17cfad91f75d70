import { isMembers, type JsonMembers } from '../json.js';
import { sendable } from './access.js';
import type { Certified, ExecutionRequest, LookupKey, RecordFilter, RecordRow, Verified } from './answers.js';
import {
  askLines,
  askLinesAgain,
  batchesOf,
  membersOfLines,
  type BatchLines,
  type BatchRoute,
  type LineResult,
} from './lines.js';
import { NodeError } from './node-error.js';
import {
  bytesOf,
  jsonOf,
  notANode,
  request,
  type NodeAccess,
  type NodeAnswer,
  type NodeQuestion,
  type Question,
  type RequestOptions,
} from './request.js';
import type { RouteName } from './routes.js';
import type { TransportAnswer } from './transport.js';
import { uuidV7 } from '../uuid-v7.js';
import { webhooksOf, type NodeWebhooks } from './webhooks.js';

type Items = Iterable<JsonMembers> | AsyncIterable<JsonMembers>;

/**
 * The routes of a node. Every method throws NodeError for a refusal, and the reason of an aborted signal.
 * @see docs/spec.md, "Routes"
 */
export interface NodeApi {
  /** Seals, signs and stores. An absent `executionId` is minted here, so that a retry makes no second certificate. */
  certify(execution: ExecutionRequest, options?: RequestOptions): Promise<Certified>;
  /** Certifies any number of executions in batches; results are in order, and a refused item refuses no other. */
  certifyBatch(
    executions: Iterable<ExecutionRequest> | AsyncIterable<ExecutionRequest>,
    options?: RequestOptions,
  ): AsyncGenerator<LineResult>;
  /** Seals only: the bundle. */
  create(execution: ExecutionRequest, options?: RequestOptions): Promise<JsonMembers>;
  /** Signs and stores a bundle that was sealed elsewhere. */
  attest(bundle: JsonMembers, options?: RequestOptions): Promise<Certified>;
  attestBatch(bundles: Items, options?: RequestOptions): AsyncGenerator<LineResult>;
  verify(bundle: JsonMembers, options?: RequestOptions): Promise<Verified>;
  /** The public record. With `mine`, an execution id is looked up among the caller's own records. */
  lookup(key: LookupKey, options?: RequestOptions & { readonly mine?: boolean }): Promise<JsonMembers>;
  /** The public record without its content. */
  proof(certificateHash: string, options?: RequestOptions): Promise<JsonMembers>;
  /** @returns the address that a hash resolves to, relative to the node */
  resolve(certificateHash: string, options?: RequestOptions): Promise<string>;
  registerProject(bundle: JsonMembers, options?: RequestOptions): Promise<JsonMembers>;
  verifyProject(bundle: JsonMembers, options?: RequestOptions): Promise<JsonMembers>;
  project(projectHash: string, options?: RequestOptions): Promise<JsonMembers>;
  /** The tenant's own records, page after page. @param filter `limit`: records per page */
  records(
    filter?: RecordFilter & { readonly order?: 'newest' | 'oldest'; readonly limit?: number },
    options?: RequestOptions,
  ): AsyncGenerator<RecordRow>;
  /** One of the tenant's own certificates, also a hidden one. */
  ownCertificate(certificateHash: string, options?: RequestOptions): Promise<JsonMembers>;
  /** How many records the filter has: `{count, isExact}`. */
  countRecords(filter?: RecordFilter, options?: RequestOptions): Promise<JsonMembers>;
  /** An audit package (ZIP) as it is written. The timeout covers the head of the answer, and each wait for more. */
  exportRecords(filter?: RecordFilter, options?: RequestOptions): Promise<ReadableStream<Uint8Array>>;
  /** Certificates and refusals per day and application. @param period first and last day, `YYYY-MM-DD` */
  coverage(
    period?: { readonly from?: string; readonly to?: string; readonly appId?: string },
    options?: RequestOptions,
  ): Promise<JsonMembers>;
  /** How the tenant's records are made, kept and shown: `{settings, stated: {node, controlPlane}}`. */
  settings(options?: RequestOptions): Promise<JsonMembers>;
  readonly webhooks: NodeWebhooks;
  /**
   * One page of the audit log of the node, oldest first.
   * @param page `after` is `next` of the page before; `limit` from 1 to 1000
   * @see docs/spec.md, "Audit log"
   */
  auditLog(
    adminSecret: string,
    page?: { readonly after?: number; readonly limit?: number; readonly format?: 'json' | 'otlp' },
    options?: RequestOptions,
  ): Promise<JsonMembers>;
  /**
   * Every entry of the audit log of the node, page after page, oldest first: `{entry, hash, kid, signature}`.
   * @param page `after` is the seq of the last known entry; `limit`: entries per page, 1000 when absent
   * @see docs/spec.md, "Audit log"
   */
  auditEntries(
    adminSecret: string,
    page?: { readonly after?: number; readonly limit?: number },
    options?: RequestOptions,
  ): AsyncGenerator<JsonMembers>;
  render(sketch: JsonMembers, options?: RequestOptions): Promise<JsonMembers>;
  verifyRender(render: JsonMembers, options?: RequestOptions): Promise<JsonMembers>;
  /** The proof that the log has a certificate or a project. The API key is sent, if there is one. */
  logProof(
    key: { readonly certificateHash: string } | { readonly projectHash: string },
    options?: RequestOptions,
  ): Promise<JsonMembers>;
  /** The key set of the node. */
  keys(options?: RequestOptions): Promise<JsonMembers>;
  keyHistory(options?: RequestOptions): Promise<JsonMembers>;
  version(options?: RequestOptions): Promise<JsonMembers>;
  health(options?: RequestOptions): Promise<JsonMembers>;
  ready(options?: RequestOptions): Promise<JsonMembers>;
  /** Sends bytes to a route as they are and returns the bytes of the answer, for programs that hash or check them. */
  ask(route: RouteName, question?: NodeQuestion, options?: RequestOptions): Promise<NodeAnswer>;
  /**
   * Sends a batch in one request, once. Yields the result of each line when it arrives, for programs that forward what
   * others send.
   */
  askLines(route: BatchRoute, lines: BatchLines, options?: RequestOptions): AsyncGenerator<LineResult>;
}

/** Calls a node. */
export function createNodeApi(access: NodeAccess): NodeApi {
  const json = (name: RouteName, question: Question): Promise<JsonMembers> => request(access, name, question, jsonOf);
  const post = (name: RouteName, body: JsonMembers, options?: RequestOptions): Promise<JsonMembers> =>
    json(name, { body: { bytes: JSON.stringify(body), type: 'application/json' }, options });

  async function* lines(route: BatchRoute, items: Items, options?: RequestOptions): AsyncGenerator<LineResult> {
    let first = 0;
    for await (const batch of batchesOf(items)) {
      for await (const result of askLinesAgain(access, route, batch, options)) {
        yield { ...result, index: first + result.index };
      }
      first += batch.length;
    }
  }

  async function* records(
    filter: RecordFilter & { readonly order?: string; readonly limit?: number } = {},
    options?: RequestOptions,
  ): AsyncGenerator<RecordRow> {
    const { order, limit } = filter;
    let cursor: string | undefined;
    do {
      const page = await json('records', { query: { ...filterQuery(filter), order, limit, cursor }, options });
      const { records: rows, nextCursor } = page;
      if (!Array.isArray(rows)) throw new NodeError('UNEXPECTED_ANSWER', 'the answer has no list of records');
      yield* rows as readonly RecordRow[];
      cursor = typeof nextCursor === 'string' ? nextCursor : undefined;
    } while (cursor !== undefined);
  }

  async function* auditEntries(
    adminSecret: string,
    { after = 0, limit = 1000 }: { readonly after?: number; readonly limit?: number } = {},
    options?: RequestOptions,
  ): AsyncGenerator<JsonMembers> {
    const headers = adminHeaders(adminSecret);
    for (let last: number | null = after; last !== null;) {
      const query = { after: last, limit, format: 'ndjson' };
      const asked = { query, headers, accept: 'application/x-ndjson', options };
      const entries: readonly JsonMembers[] = await request(access, 'auditLog', asked, membersOfLines);
      yield* entries;
      last = entries.length === 0 ? null : seqOf(entries.at(-1));
    }
  }

  return {
    certify: async (execution, options) => (await post('certify', withId(execution), options)) as Certified,
    certifyBatch: (executions, options) => lines('certifyBatch', withIds(executions), options),
    create: (execution, options) => post('create', execution, options),
    attest: async (bundle, options) => (await post('attest', bundle, options)) as Certified,
    attestBatch: (bundles, options) => lines('attestBatch', bundles, options),
    verify: async (bundle, options) => (await post('verify', { bundle }, options)) as Verified,
    lookup: (key, options) => json('lookup', { query: lookupQuery(key), withKey: options?.mine === true, options }),
    proof: (certificateHash, options) => json('proof', { query: { certificate_hash: certificateHash }, options }),
    resolve: (certificateHash, options) =>
      request(access, 'resolve', { parts: [certificateHash], options }, async (answer) => {
        answer.discard();
        const location = answer.headers.get('location');
        if (location === null) throw new NodeError('UNEXPECTED_ANSWER', 'the answer names no location');
        return location;
      }),
    registerProject: (bundle, options) => post('registerProject', bundle, options),
    verifyProject: (bundle, options) => post('verifyProject', { bundle }, options),
    project: (projectHash, options) => json('project', { query: { project_hash: projectHash }, options }),
    records,
    ownCertificate: (certificateHash, options) =>
      json('ownCertificate', { query: { certificate_hash: certificateHash }, options }),
    countRecords: (filter = {}, options) => json('countRecords', { query: filterQuery(filter), options }),
    exportRecords: (filter = {}, options) =>
      request(
        access,
        'exportRecords',
        { query: filterQuery(filter), accept: 'application/zip', options },
        async (answer) => streamOf(answer),
      ),
    coverage: ({ from, to, appId } = {}, options) => json('coverage', { query: { from, to, app_id: appId }, options }),
    settings: (options) => json('settings', { options }),
    webhooks: webhooksOf(access),
    auditLog: async (adminSecret, page = {}, options) =>
      json('auditLog', { query: page, headers: adminHeaders(adminSecret), options }),
    auditEntries,
    render: (sketch, options) => post('render', sketch, options),
    verifyRender: (render, options) => post('verifyRender', render, options),
    logProof: (key, options) => json('logProof', { query: proofQuery(key), withKey: true, options }),
    keys: (options) => json('keys', { options }),
    keyHistory: (options) => json('keyHistory', { options }),
    version: (options) => json('version', { options }),
    health: (options) => json('health', { options }),
    ready: (options) => json('ready', { options }),
    ask: (route, question = {}, options) =>
      request(access, route, { ...question, options }, async (answer, maxBytes) => ({
        status: answer.status,
        headers: answer.headers,
        bytes: await bytesOf(answer, maxBytes, options?.onBytes),
      })),
    askLines: (route, batch, options) => askLines(access, route, batch, options),
  };
}

/** @throws NodeError UNEXPECTED_ANSWER for an entry without its number */
function seqOf(line: JsonMembers | undefined): number {
  const entry = line?.['entry'];
  const seq = isMembers(entry) ? entry['seq'] : undefined;
  if (typeof seq !== 'number') throw new NodeError('UNEXPECTED_ANSWER', notANode('an entry of the answer has no seq'));
  return seq;
}

function adminHeaders(secret: string): Readonly<Record<string, string>> {
  return { 'x-admin-secret': sendable(secret, 'adminSecret') };
}

/** A stream that reads a chunk of the answer only when its own reader asks for one. */
function streamOf(answer: TransportAnswer): ReadableStream<Uint8Array> {
  const chunks = answer.body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => {
        // A generator that was not started releases nothing when it returns.
        answer.discard();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function withId(execution: ExecutionRequest): ExecutionRequest {
  return execution.executionId === undefined || execution.executionId === null
    ? { ...execution, executionId: uuidV7(Date.now()) }
    : execution;
}

async function* withIds(
  executions: Iterable<ExecutionRequest> | AsyncIterable<ExecutionRequest>,
): AsyncGenerator<ExecutionRequest> {
  for await (const execution of executions) yield withId(execution);
}

function filterQuery(filter: RecordFilter): Readonly<Record<string, string | undefined>> {
  return {
    attested_from: filter.attestedFrom,
    attested_to: filter.attestedTo,
    app_id: filter.appId,
    bundle_type: filter.bundleType,
    provider: filter.provider,
    model: filter.model,
    protocol_version: filter.protocolVersion,
    status: filter.status,
    timestamped: filter.timestamped && 'true',
    log_proof: filter.logProof && 'true',
    certificate_hash: filter.certificateHash,
    execution_id: filter.executionId,
    project_hash: filter.projectHash,
    reviewed_hash: filter.reviewedHash,
  };
}

function lookupQuery(key: LookupKey): Readonly<Record<string, string>> {
  // Programs without types pass the hash itself.
  if (typeof key !== 'object') throw new TypeError('lookup: takes { certificateHash } or { executionId }');
  return 'certificateHash' in key ? { certificate_hash: key.certificateHash } : { execution_id: key.executionId };
}

function proofQuery(
  key: { readonly certificateHash: string } | { readonly projectHash: string },
): Readonly<Record<string, string>> {
  return 'certificateHash' in key ? { certificate_hash: key.certificateHash } : { project_hash: key.projectHash };
}
