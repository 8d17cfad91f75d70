/** HTTP for services: routes and handlers, bodies, callers, errors and limits. */
export { accepts, prefers, weightOf } from './answers/accepts.js';
export { endingWith } from './answers/ending-with.js';
export { createErrorShaper, type ErrorShaper } from './answers/error-shaper.js';
export { databaseChecks, READY_WITHIN_MS, readinessHandler, type ReadinessCheck } from './answers/readiness.js';
export { arrivedBody, arrivedPieces } from './bodies/arrived-body.js';
export { codingOf } from './bodies/content-coding.js';
export { checkQuery, checkRequest, parseJsonBody } from './bodies/parse-request.js';
export { collectBody, unpackBody } from './bodies/unpack-body.js';
export { bearerKey, unauthorized } from './callers/bearer.js';
export { cachedLookup, type CacheTimes } from './callers/cached-lookup.js';
export { parseTrustedProxies, type TrustedProxies } from './callers/client-address.js';
export { networkOf } from './callers/client-network.js';
export {
  HTTP_STATUS,
  ServiceError,
  unavailable,
  validationError,
  type Refusal,
  type StatusTable,
} from './errors/service-error.js';
export { zodFaults } from './errors/zod-faults.js';
export {
  json,
  ndjson,
  jsonText,
  noContent,
  ok,
  pathParam,
  redirect,
  type Handler,
  type RequestHead,
  type ResponseHeaders,
  type ServiceRequest,
  type ServiceResponse,
  type StreamRequest,
} from './handler/handler.js';
export { BodyBudget } from './limits/body-budget.js';
export { ByteBudget, type Reservation } from './limits/byte-budget.js';
export { oneAtATime, type OneAtATime } from './limits/one-at-a-time.js';
export { settleWithin } from './limits/settle-within.js';
export { sharedWhileRunning } from './limits/shared-while-running.js';
export type { Route } from './routing/route.js';
export { notFoundPage } from './routing/not-found-page.js';
export { createRouter, hotRoutes } from './routing/router.js';
export type { RouterOptions } from './routing/router-options.js';
export { otlpLogs, type LogEvent } from './telemetry/otlp-logs.js';
