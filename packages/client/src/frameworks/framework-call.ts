import type { CallContext, Contexts } from '../calls/call-context.js';
import type { Json, JsonMembers } from '../json.js';
import type { Closing } from './calls-by-id.js';
import type { Outcome } from '../outcome.js';
import type { Recorder } from '../calls/recorder.js';
import { labelOf, parametersOf } from '../seal/execution-of.js';
import type { Sealed } from '../seal/seal.js';
import type { ClaimableCall, OpenCalls } from '../calls/open-calls.js';
import { isAbort, membersOf } from '../values/json-of.js';

export interface FrameworkDeps {
  readonly recorder: Recorder;
  readonly contexts: Contexts;
  readonly openCalls: OpenCalls;
  readonly closing: Closing;
  /** Counts a fault and reports it; does not throw. */
  readonly failed: (error: unknown) => void;
}

/** A call of a model as a framework states it. */
export interface AskedModel {
  /** The framework and its major version, as certificates name it. */
  readonly framework: string;
  /** The id of the call in the framework, where several integrations may report it. */
  readonly key?: string;
  readonly provider: unknown;
  readonly model: unknown;
  /** The input, evaluated when the call ends. */
  readonly input: () => Json;
  /** The object with the sampling parameters. */
  readonly settings: unknown;
  /** The signal by which the program ends the call, where the framework reports it. */
  readonly signal?: unknown;
}

/** A call of a model that a framework reports. */
export interface FrameworkCall extends ClaimableCall {
  /** Certifies the call, unless a fetch observer certifies its requests. Does not throw. */
  end(outcome: Outcome, output: () => Json, payload?: JsonMembers): Sealed | null;
  /** Whether the program ended the call, also by a time limit: an error of the framework may not show it. */
  outcomeOf(error: unknown): 'aborted' | 'failed';
}

/** @returns null for a call that is left out by choice, or that another client has begun */
export function beginFrameworkCall(
  deps: FrameworkDeps,
  asked: AskedModel,
  context?: CallContext,
): FrameworkCall | null {
  const key = asked.key === undefined ? null : `${asked.framework} ${asked.key}`;
  if (key !== null && deps.openCalls.keys.has(key)) return null;
  const model = labelOf(asked.model, 'unknown');
  const provider = labelOf(asked.provider, asked.framework);
  const parameters = parametersOf(asked.settings);
  const started = deps.recorder.begin(`${provider}:${model}`, asked.input, context);
  if (started === null) return null;
  if (key !== null) deps.openCalls.keys.add(key);
  return {
    callId: started.executionId,
    isClaimed: false,
    outcomeOf: (error) => (isEndedByProgram(error, asked.signal) ? 'aborted' : 'failed'),
    end(outcome, output, payload = {}) {
      deps.openCalls.remove(this);
      if (key !== null) deps.openCalls.keys.delete(key);
      if (this.isClaimed) {
        started.leave();
        return null;
      }
      return started.end(outcome, () => ({
        provider,
        model,
        input: asked.input(),
        output: output(),
        outputSha256: null,
        parameters,
        kind: 'model-call',
        payload: { outcome, framework: asked.framework, outputIs: 'framework-value', ...payload },
      }));
    },
  };
}

function isEndedByProgram(error: unknown, signal: unknown): boolean {
  return membersOf(signal)['aborted'] === true || isAbort(error) || membersOf(error)['name'] === 'TimeoutError';
}

/** Runs an observer's work; its fault is reported, never thrown. */
export function guarded<T>(failed: (error: unknown) => void, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    failed(error);
    return null;
  }
}
