import { isJsonObject, JsonError, member, parseJson, type JsonObject } from '@cer/canonical-json';
import { ServiceError } from '@cer/http-service';
import { KeyError, parseKeySet, type NodeKeySet } from '@cer/keys';
import { z } from 'zod';
import type { ReaderKeys } from './reader-keys.js';

/** Time in which the node must begin to answer, in ms. */
const ANSWER_WITHIN_MS = 10_000;
/** A certificate of the largest request, with room. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const text = z.string();
const RecordRow = z.object({
  certificateHash: text,
  kind: z.enum(['full', 'hash-only']),
  bundleType: text,
  protocolVersion: text.nullable(),
  executionId: text.nullable(),
  appId: text.nullable(),
  provider: text.nullable(),
  model: text.nullable(),
  firstAttestedAt: text,
  timestampedAt: text.nullable(),
  status: z.enum(['visible', 'hidden']),
  verificationUrl: z.url({ protocol: /^https?$/ }),
});
const count = z.int().min(0);
const day = z.iso.date();
const Reported = z.object({
  ...{ clients: count, unclosed: count, seen: count, sealed: count, aborted: count, failed: count, truncated: count },
  ...{ skipped: count, unsealed: count, dropped: count, dead: count, open: count, waiting: count },
});
const CoverageAnswer = z.object({
  from: day,
  to: day,
  isCounted: z.boolean(),
  days: z.array(
    z.object({
      ...{ day, appId: text.nullable(), certified: count, reports: count, refused: count },
      refusals: z.record(text, count),
      reported: Reported.nullable(),
    }),
  ),
});
const RecordsAnswer = z.object({ records: z.array(RecordRow), nextCursor: text.nullable() });

export type RecordRow = Readonly<z.output<typeof RecordRow>>;
/** @see docs/spec.md, "GET /v1/coverage" */
export type Coverage = Readonly<z.output<typeof CoverageAnswer>>;
export type CoverageDay = Coverage['days'][number];
export type RecordsPage = Readonly<z.output<typeof RecordsAnswer>>;

/** What the pages ask the node, for one tenant. @throws ServiceError with a sentence for the reader of the page */
export interface NodeRecords {
  list(tenantId: string, query: URLSearchParams): Promise<RecordsPage>;
  /** The certificate as text and as a value. */
  certificate(tenantId: string, hash: string): Promise<{ readonly text: string; readonly value: JsonObject }>;
  /** The audit package as the node writes it. */
  exported(tenantId: string, query: URLSearchParams, signal: AbortSignal): Promise<Response>;
  coverage(tenantId: string, query: URLSearchParams): Promise<Coverage>;
  keySet(): Promise<NodeKeySet>;
}

export function createNodeRecords(nodeUrl: string | undefined, keyOf: ReaderKeys): NodeRecords {
  const ask = async (path: string, tenantId: string | null, ended?: AbortSignal): Promise<Response> => {
    if (nodeUrl === undefined) {
      throw new ServiceError({ code: 'NOT_FOUND', message: 'No attestation node is configured for this dashboard.' });
    }
    const key = tenantId === null ? null : await keyOf(tenantId);
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
    }, ANSWER_WITHIN_MS);
    try {
      const response = await fetch(nodeUrl + path, {
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
        redirect: 'error',
        signal: AbortSignal.any([late.signal, ...(ended === undefined ? [] : [ended])]),
      });
      if (!response.ok) throw await refusalOf(response);
      return response;
    } catch (error) {
      if (error instanceof ServiceError || ended?.aborted === true) throw error;
      throw late.signal.aborted
        ? unavailable('does not answer in time', error)
        : unavailable('cannot be reached', error);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    list: async (tenantId, query) => {
      const answer = RecordsAnswer.safeParse(await jsonOf(await ask(`/v1/records?${query.toString()}`, tenantId)));
      if (!answer.success) throw older();
      return answer.data;
    },
    certificate: async (tenantId, hash) => {
      const query = new URLSearchParams({ certificate_hash: hash });
      const content = await boundedText(await ask(`/v1/records/certificate?${query.toString()}`, tenantId));
      const value = parsed(content);
      if (!isJsonObject(value)) throw older();
      return { text: content, value };
    },
    exported: (tenantId, query, signal) => ask(`/v1/records/export?${query.toString()}`, tenantId, signal),
    coverage: async (tenantId, query) => {
      const answer = CoverageAnswer.safeParse(await jsonOf(await ask(`/v1/coverage?${query.toString()}`, tenantId)));
      if (!answer.success) throw older();
      return answer.data;
    },
    keySet: async () => {
      try {
        return parseKeySet(await jsonOf(await ask('/.well-known/svc-node.json', null)));
      } catch (error) {
        if (error instanceof KeyError) throw older();
        throw error;
      }
    },
  };
}

async function jsonOf(response: Response): Promise<unknown> {
  return parsed(await boundedText(response));
}

function parsed(content: string): unknown {
  try {
    return parseJson(content);
  } catch (error) {
    if (error instanceof JsonError) throw older();
    throw error;
  }
}

/** The body as it arrives; a reader that stops early ends the request. */
export async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of bodyOf(response)) {
      size += part.length;
      if (size > MAX_ANSWER_BYTES) throw older();
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : unavailable('broke off its answer', error);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** A refusal of the node in words for the page. */
async function refusalOf(response: Response): Promise<ServiceError> {
  const { status } = response;
  const body = status === 503 || status === 400 || status === 404 ? parsedOrNull(await boundedText(response)) : null;
  const codes = isJsonObject(body) ? [member(body, 'error'), member(body, 'reasonCode')] : [];
  if (status === 404 && codes.includes('RECORD_NOT_FOUND')) {
    return new ServiceError({ code: 'NOT_FOUND', message: 'This account has no such certificate.' });
  }
  if (status === 400 && JSON.stringify(isJsonObject(body) ? member(body, 'details') : null).includes('cursor:')) {
    return new ServiceError({ code: 'NOT_FOUND', message: 'There is no such page of the list: begin with the first.' });
  }
  if (status === 400 || status === 404) return older();
  if (status === 401 || status === 403) {
    return unavailable(
      'does not accept requests of this dashboard: the account may be suspended, or the node has other keys',
    );
  }
  if (status === 429) return unavailable('has had too many requests of this account: wait a minute');
  const message = isJsonObject(body) ? member(body, 'message') : undefined;
  return unavailable(typeof message === 'string' ? `is busy: ${message}` : 'cannot answer now');
}

function parsedOrNull(content: string): unknown {
  try {
    return parseJson(content);
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

function unavailable(what: string, cause?: unknown): ServiceError {
  return new ServiceError(
    { code: 'SERVICE_UNAVAILABLE', message: `The attestation node ${what}. Nothing is lost: the records are there.` },
    { cause },
  );
}

function older(): ServiceError {
  return new ServiceError({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The attestation node does not know this request: it may be of an older release than this dashboard.',
  });
}
