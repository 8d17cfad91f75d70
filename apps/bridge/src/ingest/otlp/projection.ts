import type { JsonObject, JsonValue } from '@cer/canonical-json';
import type { ProtocolVersion } from '@cer/control-plane';
import { errorTypeOf, outcomeOf, type CallOutcome } from './call-outcome.js';
import { contentLoss, type ContentLoss } from './content-loss.js';
import { OTEL_PREFIX } from '../executions/execution-item.js';
import { firstLabel, firstNumber, present } from './spans/attribute-values.js';
import type { Dialect, ModelCall } from './spans/model-call.js';
import type { Span } from './spans/span.js';
import { withholding, type Withholding } from './withheld-content.js';

/** Named in every certificate, so that a reader knows which rules made it. A change of the rules is a new name. */
const PROJECTION = 'otel.v2';

export interface ProjectionRules {
  readonly protocolVersion: ProtocolVersion;
  /** `optional`: a side whose content was not recorded is certified as an object that says so. */
  readonly content: 'required' | 'optional';
}

/** A call of a model as a certificate states it. */
export interface Evidence {
  readonly call: ModelCall;
  /** Undefined when the span does not show it. */
  readonly outcome: CallOutcome | undefined;
  /** Why a side has no content. */
  readonly unrecorded: Readonly<Partial<Record<Side, Unrecorded>>>;
}

type Side = 'input' | 'output';
type Unrecorded = ContentLoss | Withholding | 'aborted' | 'failed';

/** A certify request, or the reason why none can be made; it names attributes and rules, never values. */
export type Projected = { readonly request: JsonObject } | { readonly refusal: string };

const NANOS_PER_MS = 1_000_000n;
const MAX_TIME_MS = 253_402_300_799_999n;

export function executionIdOf({ traceId, spanId }: Span): string {
  return `${OTEL_PREFIX}${traceId}:${spanId}`;
}

/** Reads the call, without content that is or may be cut, and without messages whose content was left out. */
export function evidenceOf(span: Span, dialect: Dialect): Evidence {
  const read = dialect.read(span);
  const outcome = outcomeOf(span, read);
  const loss = contentLoss(span, dialect, read);
  const [input, output] = [read.input, read.output].map((side) => loss ?? withholding(side, dialect.mask));
  const isWhole = input === null && output === null;
  const call = isWhole
    ? read
    : {
        ...read,
        ...(input !== null && { input: undefined }),
        ...(output !== null && { output: undefined }),
        ...(loss !== null && { toolCalls: [] }),
      };
  const unanswered = outcome === 'aborted' || outcome === 'failed' ? outcome : 'not-recorded';
  return {
    call,
    outcome,
    unrecorded: {
      ...(call.input === undefined && { input: input ?? 'not-recorded' }),
      ...(call.output === undefined && { output: output ?? unanswered }),
    },
  };
}

/**
 * Makes the certify request of one model call: the same span always gives the same request, so that a repeated export
 * replays. Content goes into input and output and nowhere else.
 * @see docs/spec.md, "Evidence bridge: machine path"
 */
export function project(span: Span, dialect: Dialect, evidence: Evidence, rules: ProjectionRules): Projected {
  const { call } = evidence;
  const identity = identityFault(span);
  if (identity !== null) return { refusal: identity };
  const { provider, model, responseModel } = call;
  if (provider === undefined) return { refusal: 'the span names no provider' };
  if (model === undefined) return { refusal: 'the span names no model' };
  const isConfidential = rules.protocolVersion === '1.3.1';
  const refusal = contentFault(evidence, rules) ?? (isConfidential ? numbersFault(call) : null);
  if (refusal !== null) return { refusal };
  const startedAt = timeOf(span.startNano);
  const service = firstLabel(span.resource, 'service.name');
  return {
    request: {
      executionId: executionIdOf(span),
      protocolVersion: rules.protocolVersion,
      provider,
      model,
      ...(responseModel !== undefined && { modelVersion: responseModel }),
      ...(service !== undefined && { appId: service }),
      createdAt: startedAt,
      timestamp: startedAt,
      ...(isConfidential && { prompt: `gen_ai.${call.operation}` }),
      ...parametersOf(call, isConfidential),
      input: call.input ?? noContent(span, call),
      output: call.output ?? noContent(span, call),
      signals: [signalOf(span, dialect, evidence, startedAt)],
    },
  };
}

/** The fault of a span whose content was never recorded. Cut content, or the output of a call that failed, is not a fault. */
function contentFault({ unrecorded }: Evidence, { content }: ProjectionRules): string | null {
  const missing = (['input', 'output'] as const).filter((side) => unrecorded[side] === 'not-recorded');
  if (content === 'optional' || missing.length === 0) return null;
  return `the span holds no ${missing.join(' and no ')}: record content, or send with ?content=optional`;
}

/** A number that the span does not record is never filled in. @see docs/decisions/0021 */
function numbersFault({ temperature, maxTokens }: ModelCall): string | null {
  const missing = [
    ...(temperature === undefined ? ['temperature'] : []),
    ...(maxTokens === undefined ? ['max_tokens'] : []),
  ];
  if (missing.length === 0) return null;
  return `protocol 1.3.1 needs the numbers temperature and max_tokens of the request: the span records no ${missing.join(' and no ')}`;
}

function identityFault({ traceId, spanId, parentSpanId, startNano, endNano }: Span): string | null {
  if (!/^[0-9a-f]{32}$/.test(traceId) || /^0+$/.test(traceId)) return 'the span has no valid trace id';
  if (!/^[0-9a-f]{16}$/.test(spanId) || /^0+$/.test(spanId)) return 'the span has no valid span id';
  // Kept with the call, in memory too, so it may not be of any length.
  if (parentSpanId !== null && !/^[0-9a-f]{16}$/.test(parentSpanId)) return 'the span has a malformed parent span id';
  if (startNano === 0n || endNano === 0n) return 'the span has no start or no end';
  if (endNano / NANOS_PER_MS > MAX_TIME_MS || startNano / NANOS_PER_MS > MAX_TIME_MS)
    return 'the span has no valid time';
  return null;
}

/** UTC with nanoseconds. */
export function timeOf(nano: bigint): string {
  const ms = nano / NANOS_PER_MS;
  const rest = String(Number(nano - ms * NANOS_PER_MS)).padStart(6, '0');
  return `${new Date(Number(ms)).toISOString().slice(0, -1)}${rest}Z`;
}

/** Under 1.3.1 exactly the four; otherwise those of them that were recorded. */
function parametersOf(call: ModelCall, isConfidential: boolean): JsonObject {
  const { temperature, maxTokens, topP, seed } = call;
  if (isConfidential) {
    return { parameters: { temperature, maxTokens, topP: topP ?? null, seed: seed ?? null } };
  }
  const parameters = present({ temperature, maxTokens, topP, seed });
  return parameters === undefined ? {} : { parameters };
}

function noContent(span: Span, call: ModelCall): JsonObject {
  return { contentRecorded: false, spanName: span.name, operation: call.operation };
}

/** Everything but content that the certificate states of a span. @see docs/bridge.md, "What a span becomes" */
function signalOf(span: Span, dialect: Dialect, evidence: Evidence, startTime: string): JsonObject {
  const { call, outcome, unrecorded } = evidence;
  const { traceId, spanId, parentSpanId, endNano, status, resource } = span;
  const payload = present({
    projection: PROJECTION,
    dialect: dialect.name,
    operation: call.operation,
    traceId,
    spanId,
    parentSpanId: parentSpanId ?? undefined,
    startTime,
    endTime: timeOf(endNano),
    status,
    outcome,
    error:
      outcome === 'aborted' || outcome === 'failed'
        ? present({
            type: errorTypeOf(span),
            httpStatus: firstNumber(span.attributes, 'http.response.status_code'),
          })
        : undefined,
    contentRecorded: { input: call.input !== undefined, output: call.output !== undefined },
    unrecorded: present({ ...unrecorded }),
    request: present(call.request),
    usage: present(call.usage),
    finishReasons: listed(call.finishReasons),
    responseId: call.responseId,
    toolCalls: listed(call.toolCalls),
    workflow: present(call.workflow),
    service: present({
      name: firstLabel(resource, 'service.name'),
      version: firstLabel(resource, 'service.version'),
      environment: firstLabel(resource, 'deployment.environment.name', 'deployment.environment'),
    }),
  });
  return { type: 'otel.span', source: 'opentelemetry', payload };
}

function listed(list: readonly JsonValue[]): readonly JsonValue[] | undefined {
  return list.length === 0 ? undefined : list;
}
