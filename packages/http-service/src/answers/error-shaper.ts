import { json, type ServiceResponse } from '../handler/handler.js';
import type { Logger } from '../telemetry/logger.js';
import { errorBody, HTTP_STATUS, ServiceError, type Refusal, type StatusTable } from '../errors/service-error.js';

/** Makes the body of a refusal. */
export type PresentError = (refusal: Refusal, requestId: string) => unknown;

export interface ErrorShaping {
  readonly logger: Logger;
  /** The app's table; `HTTP_STATUS` for an app without further codes. */
  readonly statusOf?: StatusTable;
  /** Turns an app's domain errors (CerError, KeyError) into refusals; `undefined` for an unknown error. */
  readonly translate?: (error: unknown) => ServiceError | undefined;
  /** The body of a refusal, for a service with another error shape; `errorBody` otherwise. */
  readonly presentError?: PresentError;
}

export type ErrorShaper = (error: unknown, requestId: string) => ServiceResponse;

const INTERNAL: Refusal = { code: 'INTERNAL_ERROR' };

/**
 * Makes the function that turns anything thrown into an answer. A refusal is answered as thrown. Any other error is
 * logged once under the request id and answered 500 INTERNAL_ERROR without details.
 */
export function createErrorShaper({ logger, statusOf, translate, presentError }: ErrorShaping): ErrorShaper {
  // A Map, so that a code such as `constructor` finds nothing.
  const statuses = new Map<string, number>(Object.entries({ ...HTTP_STATUS, ...statusOf }));
  const present = presentError ?? errorBody;

  return (error, requestId) => {
    const refused: ServiceError | undefined = error instanceof ServiceError ? error : translate?.(error);
    const status = refused === undefined ? undefined : (refused.refusal.status ?? statuses.get(refused.code));
    if (refused === undefined || status === undefined) {
      logger.error({ requestId, err: error }, 'request failed');
      return json(500, present(INTERNAL, requestId));
    }
    if (status >= 500) {
      // 503 and 501 are temporary or expected; a 500 is a fault of the service.
      const level = status === 500 ? 'error' : 'warn';
      const { code, message: reason } = refused.refusal;
      logger[level]({ requestId, code, reason, err: refused.cause }, 'request refused');
    }
    return json(status, present(refused.refusal, requestId), refused.refusal.headers);
  };
}
