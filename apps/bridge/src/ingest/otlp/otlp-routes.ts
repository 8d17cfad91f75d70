import { PROTOCOLS } from '@cer/control-plane';
import {
  arrivedBody,
  oneAtATime,
  ServiceError,
  unavailable,
  type RequestHead,
  type ServiceResponse,
  type ByteBudget,
} from '@cer/http-service';
import { free, object, TEXT } from '@cer/http-service/openapi';
import type { Caller, Gate } from '../../control-plane/gate.js';
import type { DescribedRoute } from '../../openapi/route-description.js';
import { batchCertifier, type CertifyDeps } from '../certify-batch.js';
import { certifyItems } from '../certify-items.js';
import type { Item, Outcome } from '../item.js';
import type { TakeRequest } from '../request-rate.js';
import { exportOptions } from './export-options.js';
import { formOf, readExport, type ExportLimits } from './read-export.js';
import { RecentCalls } from './recent-calls.js';
import { sealTraces, type ExportSealDeps, type SealTraceDeps } from './seal-traces.js';
import { spanItems } from './span-items.js';
import type { Span } from './spans/span.js';
import { exportAnswer, OTLP_JSON, PROTOBUF } from './wire/answer.js';

export interface OtlpRouteDeps extends CertifyDeps, ExportLimits, SealTraceDeps {
  readonly gate: Gate;
  readonly takeRequest: TakeRequest;
  readonly otlpLimitBytes: number;
  readonly byteBudget: ByteBudget;
  /** Maximum pause while a body is received, in ms. */
  readonly stallMs: number;
}

/** Maximum decoded exports in progress, of all tenants and of one; further ones get 503. */
const EXPORTS_AT_ONCE = 8;
const EXPORTS_OF_A_TENANT = 4;
const MAX_REASONS = 5;

const TRACES: DescribedRoute['description'] = {
  group: 'Ingest',
  summary: 'Certify the model calls of traces (OTLP/HTTP)',
  access: 'key',
  query: [
    { name: 'protocol', description: 'Protocol version of the certificates.', schema: { enum: PROTOCOLS } },
    {
      name: 'content',
      description: 'optional: spans without content are certified too.',
      schema: { enum: ['optional', 'required'] },
    },
    { name: 'project', description: 'trace: each ended trace becomes a project.', schema: { enum: ['trace'] } },
  ],
  body: { schema: free('An ExportTraceServiceRequest.'), otherTypes: [PROTOBUF] },
  success: {
    200: {
      description: 'An ExportTraceServiceResponse, in the form of the request.',
      schema: object({}, { partialSuccess: object({ rejectedSpans: TEXT, errorMessage: TEXT }) }),
      mediaTypes: [OTLP_JSON, PROTOBUF],
    },
  },
  errors: ['BAD_CERTIFICATE'],
};

/** The OTLP/HTTP endpoint for traces. @see docs/spec.md, "Evidence bridge: machine path" */
export function otlpRoutes(deps: OtlpRouteDeps): DescribedRoute[] {
  const { gate, takeRequest } = deps;
  // Decoding briefly needs much memory and would not be faster in parallel.
  const inTurn = oneAtATime();
  const recent = new RecentCalls();
  const underWay: string[] = [];
  const refuseCrowd = ({ tenantId }: Caller): void => {
    const own = underWay.filter((other) => other === tenantId).length;
    if (underWay.length >= EXPORTS_AT_ONCE || own >= EXPORTS_OF_A_TENANT) {
      throw unavailable('Too many exports at once: retry');
    }
  };
  return [
    {
      method: 'POST',
      path: '/v1/traces',
      description: TRACES,
      admit: async (head) => {
        await gate.admit(head);
        const caller = gate.callerOf(head);
        await takeRequest(caller);
        refuseCrowd(caller);
      },
      mediaTypes: [PROTOBUF, OTLP_JSON],
      contentEncodings: ['gzip'],
      bodyLimitBytes: deps.otlpLimitBytes,
      body: 'stream',
      handler: async (request) => {
        const caller = gate.callerOf(request);
        const reservation = deps.byteBudget.reserve(caller.tenantId);
        try {
          const { announcedBytes } = request;
          const arriving = { stallMs: deps.stallMs, announcedBytes, count: reservation.take };
          const sent = { headers: request.headers, body: await arrivedBody(request.body, arriving) };
          // Checked again: a client admitted while there was room may have sent slowly.
          refuseCrowd(caller);
          underWay.push(caller.tenantId);
          try {
            const read = (): Promise<readonly Span[]> => inTurn(() => readExport(sent, deps, reservation));
            return await takeExport({ ...deps, recent, reservation }, caller, request, read);
          } finally {
            underWay.splice(underWay.indexOf(caller.tenantId), 1);
          }
        } finally {
          reservation.release();
        }
      },
    },
  ];
}

async function takeExport(
  deps: OtlpRouteDeps & ExportSealDeps & { readonly recent: RecentCalls },
  caller: Caller,
  request: RequestHead,
  readSpans: () => Promise<readonly Span[]>,
): Promise<ServiceResponse> {
  const options = exportOptions(request, caller.minimumProtocol);
  const spans = await readSpans();
  const { recent } = deps;
  const { tenantId } = caller;
  const read = await spanItems(spans, options, (call) => recent.hasOther(tenantId, call));
  const calls = recent.take(tenantId, read);
  const outcomes: Outcome[] = [];
  try {
    const groups = inOneGroup(calls.map(({ item }) => item));
    const certifier = batchCertifier(deps, caller, request.signal);
    for await (const batch of certifyItems(groups, certifier)) outcomes.push(...batch);
  } finally {
    for (const [at, call] of calls.entries()) {
      if (!call.isRefused && outcomes[at]?.ok !== true) recent.remove(tenantId, call);
    }
  }
  refusePassing(outcomes);
  const notes = options.sealsTraces ? await sealTraces(deps, caller, spans, calls, outcomes) : [];
  const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.error]));
  return exportAnswer(formOf(request), {
    rejectedSpans: refused.length,
    errorMessage: [...summary(refused), ...notes].join('; '),
  });
}

/** Spans that a retry may certify are not counted as rejected: exporters never send rejected spans again. */
function refusePassing(outcomes: readonly Outcome[]): void {
  const passing = outcomes.find(
    (outcome) => !outcome.ok && (outcome.refusal.status >= 500 || outcome.refusal.error.startsWith('RATE_LIMITED')),
  );
  if (passing === undefined || passing.ok) return;
  if (passing.refusal.status >= 500) throw unavailable(passing.refusal.error);
  throw new ServiceError({
    code: 'RATE_LIMITED',
    message: passing.refusal.error,
    headers: { 'retry-after': String(passing.refusal.retryAfterS ?? 1) },
  });
}

/** Each reason once, with its count; the most frequent first. */
function summary(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_REASONS)
    .map(([reason, count]) => `${count} refused: ${reason}`);
}

async function* inOneGroup(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  if (items.length > 0) yield items;
}
