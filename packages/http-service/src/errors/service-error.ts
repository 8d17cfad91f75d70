import { visibleText } from '@cer/canonical-json';
import type { ResponseHeaders } from '../handler/handler.js';

/** HTTP status by refusal code. Each app has one, `satisfies Record<Code, number>`. */
export type StatusTable<Code extends string = string> = Readonly<Record<Code, number>>;

/** The codes that every service uses; an app's table starts from it: `{ ...HTTP_STATUS, MY_CODE: 409 }`. */
export const HTTP_STATUS = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const satisfies StatusTable;

export type HttpCode = keyof typeof HTTP_STATUS;

export interface Refusal<Code extends string = string> {
  readonly code: Code;
  /** Only for a code that is not in the app's table, or that has several statuses. */
  readonly status?: number;
  /** Names the field and the rule, never the value; without one the body carries `details` joined, or none. */
  readonly message?: string;
  readonly details?: readonly string[];
  readonly headers?: ResponseHeaders;
  /** Further body members, e.g. `mismatches`; they never replace `error`, `message`, `details`, `requestId`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A request that the service refuses, with everything its answer shows. Its texts may name members of the request. */
export class ServiceError<Code extends string = string> extends Error {
  readonly refusal: Refusal<Code>;

  constructor(refusal: Refusal<Code>, options?: ErrorOptions) {
    const { message, details, ...rest } = refusal;
    const shown: Refusal<Code> = {
      ...rest,
      ...(message !== undefined && { message: visibleText(message) }),
      ...(details !== undefined && { details: details.map((detail) => visibleText(detail)) }),
    };
    super(shown.message ?? shown.details?.join(';') ?? shown.code, options);
    this.name = 'ServiceError';
    this.refusal = shown;
  }

  get code(): Code {
    return this.refusal.code;
  }
}

/** 400 VALIDATION_ERROR with one sentence per fault. */
export function validationError(details: readonly string[]): ServiceError<'VALIDATION_ERROR'> {
  return new ServiceError({ code: 'VALIDATION_ERROR', details });
}

/**
 * The body of a refusal: `{error, message?, details?, ...members, requestId}`; without a message, the details joined by
 * `;`.
 */
export function errorBody(refusal: Refusal, requestId: string): Record<string, unknown> {
  const { code, details, members } = refusal;
  const message = refusal.message ?? details?.join(';');
  return {
    error: code,
    ...(message !== undefined && { message }),
    ...(details !== undefined && { details }),
    ...(members !== undefined && withoutReserved(members)),
    requestId,
  };
}

const RESERVED: ReadonlySet<string> = new Set(['error', 'message', 'details', 'requestId']);

function withoutReserved(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !RESERVED.has(name)));
}

/** 503 that a client may simply repeat. */
export function unavailable(message: string, cause?: unknown): ServiceError<'SERVICE_UNAVAILABLE'> {
  return new ServiceError({ code: 'SERVICE_UNAVAILABLE', message, headers: { 'retry-after': '1' } }, { cause });
}
