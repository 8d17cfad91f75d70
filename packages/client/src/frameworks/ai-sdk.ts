import type { Json } from '../json.js';
import type { Outcome } from '../outcome.js';
import { generated } from './ai-sdk-parts.js';
import { CallsById } from './calls-by-id.js';
import { beginFrameworkCall, guarded, type FrameworkCall, type FrameworkDeps } from './framework-call.js';
import { lastText } from './last-text.js';
import { contentOf, listOf, membersOf, requestMembers, statusOf, type Members } from '../values/json-of.js';

/** An integration for `registerTelemetry` of the AI SDK 7. */
export interface AiSdkTelemetry {
  executeLanguageModelCall<T>(options: {
    readonly callId: string;
    readonly execute: () => PromiseLike<T>;
  }): PromiseLike<T>;
  onLanguageModelCallEnd(event: unknown): void;
  onAbort(event: unknown): void;
  onError(event: unknown): void;
  onStart(event: unknown): void;
  onObjectStepStart(event: unknown): void;
  onObjectStepEnd(event: unknown): void;
  onRerankStart(event: unknown): void;
  onRerankEnd(event: unknown): void;
  onEmbedStart(event: unknown): void;
  onEmbedEnd(event: unknown): void;
}

/** The operations whose calls of models are reported as steps of an object. */
const OF_OBJECTS: ReadonlySet<unknown> = new Set(['ai.generateObject', 'ai.streamObject']);

/** Certifies the calls of models that the telemetry of the AI SDK reports. Changes no result. */
export function aiSdkTelemetry(deps: FrameworkDeps): AiSdkTelemetry {
  const { contexts, failed } = deps;
  /** Their end is that of a promise. */
  const running = new CallsById<FrameworkCall>(new Set());
  /** Their end is an event. */
  const streams = new CallsById<FrameworkCall>(deps.closing);
  /** Embeddings, objects and rankings: their ends are events, and their errors name the operation only. */
  const steps = new CallsById<FrameworkCall>(deps.closing);

  const begin = (event: Members, key: string): FrameworkCall | null =>
    guarded(failed, () =>
      beginFrameworkCall(deps, {
        framework: 'ai-sdk',
        key,
        provider: event['provider'],
        model: event['modelId'],
        input: () => contentOf(requestMembers(event, 'callId', 'runtimeContext')),
        settings: event,
      }),
    );
  const finish = (open: CallsById<FrameworkCall>, id: string, outcome: Outcome, output: () => Json): void => {
    open.take(id)?.end(outcome, output);
  };
  const fail = (open: CallsById<FrameworkCall>, id: string, error: unknown): void => {
    const call = open.find(id);
    if (call !== undefined) open.endEarly(id, call.outcomeOf(error), { httpStatus: statusOf(error) });
  };
  const beginStep = (started: Members, key: string): FrameworkCall | null => {
    const call = begin(started, key);
    if (call !== null) steps.add(key, call);
    return call;
  };
  /** A request may be made outside of the context of its call. */
  const makeRecognisable = (call: FrameworkCall, { modelId }: Members, text: unknown): void => {
    if (typeof text !== 'string' || text === '') return;
    deps.openCalls.add(call, typeof modelId === 'string' ? modelId : null, text);
  };

  return {
    executeLanguageModelCall: async ({ execute, ...event }) => {
      deps.recorder.admit();
      const call = begin(event, event.callId);
      if (call !== null) running.add(event.callId, call);
      let result;
      try {
        result = await contexts.withinCall(call, execute);
      } catch (error) {
        call?.end(call.outcomeOf(error), () => ({}), { httpStatus: statusOf(error) });
        throw error;
      } finally {
        if (call !== null) running.take(event.callId);
      }
      if (call === null) return result;
      const answer = guarded(failed, () => generated(result));
      if (answer !== null) call.end('complete', () => answer);
      else streams.add(event.callId, call);
      return result;
    },
    onLanguageModelCallEnd: (event) => {
      const { callId, ...end } = membersOf(event);
      finish(streams, String(callId), 'complete', () => generated(end) ?? {});
    },
    onAbort: (event) => {
      finish(streams, String(membersOf(event)['callId']), 'aborted', () => ({}));
    },
    onError: (event) => {
      const { callId, error } = membersOf(event);
      fail(streams, String(callId), error);
      for (const id of steps.ids().filter((key) => key.startsWith(`${String(callId)} `))) fail(steps, id, error);
    },
    onStart: (event) => {
      const started = membersOf(event);
      // Of the sampling parameters, the step of an object reports none.
      if (OF_OBJECTS.has(started['operationId'])) beginStep(started, objectKey(started));
    },
    onObjectStepStart: (event) => {
      const started = membersOf(event);
      const call = steps.find(objectKey(started));
      if (call !== undefined) makeRecognisable(call, started, lastText(started['promptMessages']));
    },
    onObjectStepEnd: (event) => {
      const ended = membersOf(event);
      const { objectText, finishReason, usage } = ended;
      finish(steps, objectKey(ended), 'complete', () => contentOf({ objectText, finishReason, usage }));
    },
    onRerankStart: (event) => {
      const started = membersOf(event);
      const call = beginStep(started, rankingKey(started));
      if (call !== null) makeRecognisable(call, started, started['query']);
    },
    onRerankEnd: (event) => {
      const ended = membersOf(event);
      finish(steps, rankingKey(ended), 'complete', () => contentOf(ended['ranking']));
    },
    onEmbedStart: (event) => {
      const started = membersOf(event);
      const call = beginStep(started, embeddingKey(started));
      if (call !== null) makeRecognisable(call, started, listOf(started['values'])[0]);
    },
    onEmbedEnd: (event) => {
      const ended = membersOf(event);
      finish(steps, embeddingKey(ended), 'complete', () => contentOf(ended['embeddings']));
    },
  };
}

function objectKey({ callId }: Members): string {
  return `${String(callId)} object`;
}

function rankingKey({ callId }: Members): string {
  return `${String(callId)} ranking`;
}

function embeddingKey({ callId, embedCallId }: Members): string {
  return `${String(callId)} ${String(embedCallId)}`;
}
