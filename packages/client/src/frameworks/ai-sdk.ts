import type { Json } from '../json.js';
import type { Outcome } from '../outcome.js';
import { generated } from './ai-sdk-parts.js';
import { CallsById } from './calls-by-id.js';
import { beginFrameworkCall, guarded, type FrameworkCall, type FrameworkDeps } from './framework-call.js';
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
  onEmbedStart(event: unknown): void;
  onEmbedEnd(event: unknown): void;
}

/** Certifies the calls of every model of the AI SDK, as its telemetry reports them. Changes no result. */
export function aiSdkTelemetry(deps: FrameworkDeps): AiSdkTelemetry {
  const { contexts, failed } = deps;
  /** Their end is that of a promise. */
  const running = new CallsById<FrameworkCall>(new Set());
  /** Their end is an event. */
  const streams = new CallsById<FrameworkCall>(deps.closing);
  const embeddings = new CallsById<FrameworkCall>(deps.closing);

  const begin = (event: Members, key: string): FrameworkCall | null =>
    guarded(failed, () =>
      beginFrameworkCall(deps, {
        framework: 'ai-sdk',
        key,
        provider: event['provider'],
        model: event['modelId'],
        input: () => contentOf(requestMembers(event, 'callId')),
        settings: event,
      }),
    );
  const finish = (open: CallsById<FrameworkCall>, id: string, outcome: Outcome, output: () => Json): void => {
    open.take(id)?.end(outcome, output);
  };
  const fail = (open: CallsById<FrameworkCall>, id: string, error: unknown): void => {
    open.endEarly(id, (call) => call.outcomeOf(error));
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
      for (const id of embeddings.ids().filter((key) => key.startsWith(`${String(callId)} `))) {
        fail(embeddings, id, error);
      }
    },
    onEmbedStart: (event) => {
      const started = membersOf(event);
      const { modelId, values } = started;
      const call = begin(started, embeddingKey(started));
      const [first] = listOf(values);
      if (call === null) return;
      if (typeof first === 'string') deps.openCalls.add(call, typeof modelId === 'string' ? modelId : null, first);
      embeddings.add(embeddingKey(started), call);
    },
    onEmbedEnd: (event) => {
      const ended = membersOf(event);
      finish(embeddings, embeddingKey(ended), 'complete', () => contentOf(ended['embeddings']));
    },
  };
}

function embeddingKey({ callId, embedCallId }: Members): string {
  return `${String(callId)} ${String(embedCallId)}`;
}
