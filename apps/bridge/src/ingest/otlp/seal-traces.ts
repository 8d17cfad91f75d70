import { unavailable, type Reservation } from '@cer/http-service';
import { isJsonObject, member, parseJson, type JsonObject } from '@cer/canonical-json';
import { counted } from '@cer/cer-core/wording';
import { buildProject, type ProjectStep } from '@cer/cer-core/seal';
import { answered, type NodeConnection } from '../../attestation-node/connection.js';
import type { Caller } from '../../control-plane/gate.js';
import type {
  Ingest,
  IngestStore,
  LimitStore,
  TraceRoot,
  TraceSize,
  TraceStep,
  TraceStore,
} from '../../store/index.js';
import type { Outcome } from '../item.js';
import { OTEL_PREFIX } from '../executions/execution-item.js';
import { timeOf } from './projection.js';
import type { SpanItem } from './span-items.js';
import type { Span } from './spans/span.js';

export interface SealTraceDeps {
  readonly node: NodeConnection;
  readonly traces: TraceStore;
  readonly ingests: IngestStore;
  readonly limitStore: Pick<LimitStore, 'takeRoots'>;
  readonly now: () => Date;
}

export interface ExportSealDeps extends SealTraceDeps {
  /** Also counts the certificates of the trace that is being sealed. */
  readonly reservation: Pick<Reservation, 'take' | 'give'>;
}

/** Maximum root spans of an account per hour that are kept although their traces have no calls. */
const MAX_ROOTS_PER_HOUR = 100_000;
const MAX_STEPS = 2000;
/** Maximum bytes of the certificates of a trace, which are in memory together while it is sealed. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Memory of a certificate as a multiple of its bytes: its row, its value, the text of the project and its bytes. */
const BYTES_PER_BYTE = 5;

/**
 * Keeps the certificates of traces and their root spans, and seals each trace that this export added to and whose root
 * span has ended, as a project of all its certificates, under the customer's own key. Its spans may come in any order,
 * in several exports, at several instances: each writes before it reads, so the last one seals the whole; a
 * call that arrives after its trace was sealed is sealed with it again, and an export that is repeated replays.
 * @returns a sentence for each trace that could not be sealed, and one for roots that were not kept
 * @throws ServiceError SERVICE_UNAVAILABLE when the node is gone or there is no room: the export is then safe to repeat
 */
export async function sealTraces(
  deps: ExportSealDeps,
  caller: Caller,
  spans: readonly Span[],
  calls: readonly SpanItem[],
  outcomes: readonly Outcome[],
): Promise<readonly string[]> {
  const { traces } = deps;
  const { tenantId } = caller;
  const steps = stepsByTrace(calls, outcomes);
  const roots = spans.flatMap((span) => rootOf(span) ?? []);
  for (const [traceId, added] of steps) await traces.keep(tenantId, traceId, added);
  const notes = [...(await keepRoots(deps, tenantId, roots))];
  // Most traces of an application have no calls.
  const touched = new Set([...steps.keys(), ...roots.map((root) => root.traceId)]);
  for (const root of await traces.rootsWithSteps(tenantId, [...touched])) {
    const size = await traces.sizeOf(tenantId, root.traceId, MAX_STEPS + 1);
    const fault = sizeFault(size) ?? (await sealWithinRoom(deps, caller, root, size.bytes));
    if (fault !== null) notes.push(`trace not sealed: ${fault}`);
  }
  return notes;
}

/** Roots of traces without calls use no quota of executions, so they have a limit of their own. */
async function keepRoots(
  { traces, limitStore, now }: SealTraceDeps,
  tenantId: string,
  roots: readonly TraceRoot[],
): Promise<readonly string[]> {
  if (roots.length === 0) return [];
  const traceIds = roots.map(({ traceId }) => traceId);
  const called = await traces.withSteps(tenantId, traceIds);
  const bare = roots.filter(({ traceId }) => !called.has(traceId));
  const hour = now().toISOString().slice(0, 13);
  const room = await limitStore.takeRoots(tenantId, hour, bare.length, MAX_ROOTS_PER_HOUR);
  await traces.keepRoots(tenantId, [...roots.filter(({ traceId }) => called.has(traceId)), ...bare.slice(0, room)]);
  const dropped = bare.length - room;
  return dropped === 0
    ? []
    : [`${counted(dropped, 'root span')} of traces without calls not kept: at most ${MAX_ROOTS_PER_HOUR} per hour are`];
}

function sizeFault({ steps, bytes }: TraceSize): string | null {
  if (steps > MAX_STEPS) return `it has more than ${MAX_STEPS} calls`;
  return bytes > MAX_BYTES ? `its certificates have more than ${MAX_BYTES} bytes` : null;
}

/** @throws ServiceError SERVICE_UNAVAILABLE without room */
async function sealWithinRoom(
  deps: ExportSealDeps,
  caller: Caller,
  root: TraceRoot,
  bytes: number,
): Promise<string | null> {
  const { reservation } = deps;
  reservation.take(bytes * BYTES_PER_BYTE);
  try {
    const steps = await deps.traces.stepsOf(caller.tenantId, root.traceId, MAX_STEPS);
    return await sealTrace(deps, caller, root, steps);
  } finally {
    reservation.give(bytes * BYTES_PER_BYTE);
  }
}

/** The root of a trace, when the span is one that has ended. */
function rootOf({ parentSpanId, traceId, startNano, endNano }: Span): TraceRoot | null {
  if (parentSpanId !== null || endNano === 0n || !/^[0-9a-f]{32}$/.test(traceId)) return null;
  return { traceId, startedAt: timeOf(startNano), endedAt: timeOf(endNano) };
}

function stepsByTrace(calls: readonly SpanItem[], outcomes: readonly Outcome[]): ReadonlyMap<string, TraceStep[]> {
  const byTrace = new Map<string, TraceStep[]>();
  for (const [at, { span }] of calls.entries()) {
    const outcome = outcomes[at];
    if (outcome?.ok !== true) continue;
    const { traceId, spanId, parentSpanId, startNano } = span;
    const step = { spanId, parentSpanId, startedAt: timeOf(startNano), bundleJson: JSON.stringify(outcome.cer) };
    const earlier = byTrace.get(traceId);
    if (earlier === undefined) byTrace.set(traceId, [step]);
    else earlier.push(step);
  }
  return byTrace;
}

/** @returns why it could not be sealed, or null */
async function sealTrace(
  deps: SealTraceDeps,
  caller: Caller,
  root: TraceRoot,
  steps: readonly TraceStep[],
): Promise<string | null> {
  const sealing = deps.node.as(caller.key).registerProject(projectOf(root, steps));
  const { status, body } = await answered(sealing);
  if (status >= 500 || status === 429) throw unavailable('The attestation node cannot seal the trace now: retry');
  const projectHash = textMember(body, 'projectHash');
  const isSealed = status === 200 && projectHash !== null;
  const fault = isSealed
    ? null
    : [textMember(body, 'error'), textMember(body, 'message')].filter((text) => text !== null).join(': ');
  const ingest: Ingest = {
    at: deps.now().toISOString(),
    source: 'otlp',
    outcome: isSealed ? 'certified' : 'refused',
    status,
    executionId: `${OTEL_PREFIX}${root.traceId}`,
    provider: null,
    model: `trace of ${counted(steps.length, 'call')}`,
    certificateHash: isSealed ? projectHash : null,
    submittedHash: null,
    verificationUrl: textMember(body, 'verificationUrl'),
    reason: fault,
  };
  await deps.ingests.record(caller.tenantId, [ingest], { certified: 0, refused: 0 });
  return fault;
}

/** The same calls of a trace always give the same project. */
function projectOf({ traceId, startedAt, endedAt }: TraceRoot, steps: readonly TraceStep[]): JsonObject {
  const known = new Set(steps.map(({ spanId }) => spanId));
  return buildProject(
    {
      projectBundleId: `${OTEL_PREFIX}${traceId}`,
      projectTitle: `OpenTelemetry trace ${traceId}`,
      startedAt,
      completedAt: endedAt,
      tags: ['opentelemetry'],
    },
    steps.map(({ spanId, parentSpanId, startedAt: recordedAt, bundleJson }): ProjectStep => {
      const isChild = parentSpanId !== null && known.has(parentSpanId);
      return {
        stepId: spanId,
        bundle: objectOf(bundleJson),
        registryMembers: { recordedAt, ...(isChild && { parentStepIds: [parentSpanId] }) },
      };
    }),
  );
}

function objectOf(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function textMember(body: JsonObject, name: string): string | null {
  const value = member(body, name);
  return typeof value === 'string' ? value : null;
}
