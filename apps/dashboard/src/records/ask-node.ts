import { isJsonObject, JsonError, member, parseJson, type JsonObject } from '@cer/canonical-json';
import { ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { readBounded } from '@cer/ndjson';
import type { ReaderKey } from '../store/index.js';
import type { ReaderKeys } from './reader-keys.js';

/** Time in which the node must begin to answer, in ms. */
const ANSWER_WITHIN_MS = 10_000;
/** A certificate of the largest request, with room. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** A request to the node. */
export interface Asked {
  readonly path: string;
  /** Null: without a key. */
  readonly tenantId: string | null;
  readonly ended?: AbortSignal;
  /** The scope of the key; absent: it reads and changes nothing. */
  readonly scope?: ReaderKey['scope'];
  /** Sent by POST. */
  readonly body?: JsonObject;
}

/** @throws ServiceError with a sentence for the reader of the page */
export type AskNode = (asked: Asked) => Promise<Response>;

export function createAskNode(nodeUrl: string | undefined, keyOf: ReaderKeys): AskNode {
  return async ({ path, tenantId, ended, scope = 'audit', body }) => {
    if (nodeUrl === undefined) {
      throw new ServiceError({ code: 'NOT_FOUND', message: 'No attestation node is configured for this dashboard.' });
    }
    const key = tenantId === null ? null : await keyOf(tenantId, scope);
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
    }, ANSWER_WITHIN_MS);
    try {
      const response = await fetch(nodeUrl + path, {
        headers: {
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          accept: 'application/json, */*',
        },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.any([late.signal, ...(ended === undefined ? [] : [ended])]),
      });
      if (!response.ok) throw await refusalOf(response, scope);
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
}

export async function jsonOf(response: Response): Promise<unknown> {
  return parsed(await boundedText(response));
}

export function parsed(content: string): unknown {
  try {
    return parseJson(content);
  } catch (error) {
    if (error instanceof JsonError) throw older();
    throw error;
  }
}

/** A byte order mark stays, and is then not JSON. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** @param onBytes called with the size of each part; its error abandons the answer */
export async function boundedText({ body }: Response, onBytes?: (bytes: number) => void): Promise<string> {
  try {
    const bytes = await readBounded(body, MAX_ANSWER_BYTES, onBytes);
    if (bytes === null) throw older();
    return utf8.decode(bytes);
  } catch (error) {
    throw error instanceof ServiceError ? error : unavailable('broke off its answer', error);
  }
}

/** A receipt that is in the log and not yet in a published checkpoint of it. */
export const LOG_PENDING = {
  code: 'NOT_FOUND',
  message: 'The receipt waits for the next checkpoint of the transparency log.',
} as const;

/** Messages for missing resources, by the node's reason. */
const MISSING: ReadonlyMap<string, string> = new Map([
  ['RECORD_NOT_FOUND', 'This account has no such certificate.'],
  ['WEBHOOK_NOT_FOUND', 'This account has no such webhook.'],
  ['DELIVERY_NOT_FOUND', 'There is no such message: it may be older than 90 days.'],
  ['WEBHOOKS_OFF', 'The attestation node sends no alerts to accounts: its operator has switched them off.'],
]);

/** The page's message for a refusal of the node. */
async function refusalOf(response: Response, scope: ReaderKey['scope']): Promise<ServiceError> {
  const { status } = response;
  const body = [400, 404, 409, 429, 503].includes(status) ? parsedOrNull(await boundedText(response)) : null;
  const codes = isJsonObject(body) ? [member(body, 'error'), member(body, 'reasonCode')] : [];
  const missing = codes.map((code) => (typeof code === 'string' ? MISSING.get(code) : undefined)).find(Boolean);
  if (status === 404 && missing !== undefined) return new ServiceError({ code: 'NOT_FOUND', message: missing });
  if (status === 400 && JSON.stringify(isJsonObject(body) ? member(body, 'details') : null).includes('cursor:')) {
    return new ServiceError({ code: 'NOT_FOUND', message: 'There is no such page of the list: begin with the first.' });
  }
  if (status === 404 && codes.includes('LOG_PENDING')) return new ServiceError(LOG_PENDING);
  if (status === 409) {
    return new ServiceError({
      code: 'VALIDATION_ERROR',
      message: codes.includes('WEBHOOK_ROTATED')
        ? 'Another request made a new secret of this webhook, as this form does if it was sent before. The secret was shown then. If you have not copied it, open the page of the webhook and make one again.'
        : 'This form was sent before, with another content. The first one counts: open the certificate again.',
    });
  }
  if (status === 400 && (scope === 'webhooks' || scope === 'audit')) {
    const details = isJsonObject(body) ? member(body, 'details') : undefined;
    const said = Array.isArray(details) ? details.filter((detail) => typeof detail === 'string') : [];
    // A parameter unknown to the node is not a fault of the reader.
    const isUnknown = said.some((detail) => detail.startsWith('query:'));
    if (said.length > 0 && !isUnknown) {
      return new ServiceError({ code: 'VALIDATION_ERROR', message: `${said.join('; ')}.`, details: said });
    }
  }
  if (status === 400 || status === 404) return older();
  if (status === 401 || status === 403) {
    return unavailable(
      'does not accept requests of this dashboard: the account may be suspended, or the node has other keys',
    );
  }
  if (codes.includes('QUOTA_EXCEEDED')) return unavailable('refuses: the quota of this account is used up');
  const message = isJsonObject(body) ? member(body, 'message') : undefined;
  if (status === 429 && scope === 'webhooks' && typeof message === 'string') {
    return unavailable(`refuses: ${message}. Wait a minute`);
  }
  if (status === 429) return unavailable('has had too many requests of this account: wait a minute');
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

const OLDER = 'The attestation node does not know this request: it may be of an older release than this dashboard.';

/** A refusal of a request that a node of this release would answer. */
export function older(): ServiceError {
  return new ServiceError({ code: 'SERVICE_UNAVAILABLE', message: OLDER });
}

/** What the node answers, for a page that can do without: `otherwise` where it gives no answer, which is logged. */
export async function answerOr<T>(
  otherwise: T,
  ask: () => Promise<T>,
  { tenantId, logger }: { readonly tenantId: string; readonly logger: Logger },
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    logger.warn({ err: error, tenantId }, 'the node gave no answer');
    return otherwise;
  }
}

/** Whether the node does not know a request. */
export function isOlder(error: unknown): boolean {
  return error instanceof ServiceError && error.message === OLDER;
}
