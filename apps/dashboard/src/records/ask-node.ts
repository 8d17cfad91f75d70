import { isJsonObject, JsonError, parseJson, type JsonObject } from '@cer/canonical-json';
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
  ['LOG_PENDING', LOG_PENDING.message],
]);

/** Statuses whose body says why. */
const WITH_REASON: readonly number[] = [400, 404, 409, 429, 503];

/** What the node says about a refusal. */
interface Reason {
  readonly codes: readonly string[];
  readonly message: string | undefined;
  readonly details: readonly string[];
}

/** The page's message for a refusal of the node. */
async function refusalOf(response: Response, scope: ReaderKey['scope']): Promise<ServiceError> {
  const { status } = response;
  const reason = reasonIn(WITH_REASON.includes(status) ? parsedOrNull(await boundedText(response)) : null);
  switch (status) {
    case 400:
      return invalidRequest(reason, scope);
    case 401:
    case 403:
      return unavailable(
        'does not accept requests of this dashboard: the account may be suspended, or the node has other keys',
      );
    case 404: {
      const message = reason.codes.map((code) => MISSING.get(code)).find((known) => known !== undefined);
      return message === undefined ? older() : new ServiceError({ code: 'NOT_FOUND', message });
    }
    case 409:
      return new ServiceError({
        code: 'VALIDATION_ERROR',
        message: reason.codes.includes('WEBHOOK_ROTATED')
          ? 'Another request made a new secret of this webhook, as this form does if it was sent before. The secret was shown then. If you have not copied it, open the page of the webhook and make one again.'
          : 'This form was sent before, with another content. The first one counts: open the certificate again.',
      });
    default:
      return busy(status, reason, scope);
  }
}

function reasonIn(body: unknown): Reason {
  const { error, reasonCode, message, details }: JsonObject = isJsonObject(body) ? body : {};
  return {
    codes: [error, reasonCode].filter((code) => typeof code === 'string'),
    message: typeof message === 'string' ? message : undefined,
    details: Array.isArray(details) ? details.filter((detail) => typeof detail === 'string') : [],
  };
}

function invalidRequest({ details }: Reason, scope: ReaderKey['scope']): ServiceError {
  if (details.some((detail) => detail.includes('cursor:'))) {
    return new ServiceError({ code: 'NOT_FOUND', message: 'There is no such page of the list: begin with the first.' });
  }
  // A parameter unknown to the node is not a fault of the reader.
  const isUnknown = details.some((detail) => detail.startsWith('query:'));
  if (details.length === 0 || isUnknown || (scope !== 'webhooks' && scope !== 'audit')) return older();
  return new ServiceError({ code: 'VALIDATION_ERROR', message: `${details.join('; ')}.`, details });
}

function busy(status: number, { codes, message }: Reason, scope: ReaderKey['scope']): ServiceError {
  if (codes.includes('QUOTA_EXCEEDED')) return unavailable('refuses: the quota of this account is used up');
  if (status !== 429) return unavailable(message === undefined ? 'cannot answer now' : `is busy: ${message}`);
  return unavailable(
    scope === 'webhooks' && message !== undefined
      ? `refuses: ${message}. Wait a minute`
      : 'has had too many requests of this account: wait a minute',
  );
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
