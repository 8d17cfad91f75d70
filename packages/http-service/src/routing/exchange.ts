import type { IncomingMessage } from 'node:http';
import { SECURITY_HEADERS } from '../answers/response-headers.js';
import { sendResponse } from '../answers/send-response.js';
import { ClientGone } from '../bodies/read-body.js';
import type { ResponseHeaders, ServiceResponse } from '../handler/handler.js';
import { requestIdOf } from '../handler/request-id.js';
import { untraced, type IncomingTrace, type Note } from '../telemetry/trace.js';
import { answerOf, type Admitted, type Exchange, type RouterParts } from './dispatch.js';

const UNMATCHED = '(unmatched)';
const CLIENT_GONE_STATUS = 499;

/** Answers one request, and records it in the trace, the metrics and the log; never rejects. */
export async function answerExchange(exchange: Exchange, parts: RouterParts): Promise<void> {
  const { request, found, endpoint } = exchange;
  const route = found?.resource.pattern ?? UNMATCHED;
  // Clients can send any method, so only methods of routes become labels.
  const method = found === undefined || endpoint === undefined ? 'ANY' : (request.method ?? 'ANY');
  const trace = parts.options.trace ?? untraced;
  await trace(
    `${method} ${route}`,
    { 'http.request.method': method, 'http.route': route },
    (note) => answerAndRecord(exchange, parts, route, method, note),
    incomingTrace(request),
  );
}

function incomingTrace({ headers: { traceparent, tracestate } }: IncomingMessage): IncomingTrace {
  return {
    ...(typeof traceparent === 'string' && { traceparent }),
    ...(typeof tracestate === 'string' && { tracestate }),
  };
}

async function answerAndRecord(
  exchange: Exchange,
  parts: RouterParts,
  route: string,
  method: string,
  note: Note,
): Promise<void> {
  const { request, response, found, endpoint } = exchange;
  const { options, responseBudget } = parts;
  const startedAt = performance.now();
  const requestId = requestIdOf(request);
  const base = endpoint?.headers ?? found?.resource.headers ?? SECURITY_HEADERS;
  const admitted: Admitted = {};
  let status: number;
  try {
    const answer = withHeaders(await answerOf(exchange, parts, requestId, admitted), admitted);
    const { stallMs } = options;
    const target = { request, response, base, requestId, stallMs, budget: responseBudget };
    const outcome = await sendResponse(answer, target);
    status = outcome === 'sent' ? answer.status : CLIENT_GONE_STATUS;
  } catch (error) {
    status = await sendFailure(exchange, parts, error, { ...base, ...admitted.headers }, requestId);
  }
  const durationMs = performance.now() - startedAt;
  note({ 'http.response.status_code': status, 'cer.request_id': requestId });
  options.metrics?.observe({ route, method, status, durationMs });
  options.logger.info(
    {
      method: request.method,
      route,
      status,
      ...(status === CLIENT_GONE_STATUS && { outcome: 'aborted' }),
      ms: Math.round(durationMs * 100) / 100,
      requestId,
    },
    'request',
  );
}

function withHeaders(answer: ServiceResponse, { headers }: Admitted): ServiceResponse {
  return headers === undefined ? answer : { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Answers a thrown error if an answer is still possible; never rejects. */
async function sendFailure(
  { request, response }: Exchange,
  { options, shapeError }: RouterParts,
  error: unknown,
  base: ResponseHeaders,
  requestId: string,
): Promise<number> {
  if (error instanceof ClientGone || (response.destroyed && isAbort(error))) {
    response.destroy();
    return CLIENT_GONE_STATUS;
  }
  try {
    const answer = shapeError(error, requestId);
    if (response.headersSent) return answer.status;
    const outcome = await sendResponse(answer, { request, response, base, requestId, stallMs: options.stallMs });
    return outcome === 'sent' ? answer.status : CLIENT_GONE_STATUS;
  } catch (unanswerable) {
    options.logger.error({ requestId, err: unanswerable }, 'refusal could not be sent');
    response.destroy();
    return 500;
  }
}

/** The error of a handler that watches `request.signal`. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
