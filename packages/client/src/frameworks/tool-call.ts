import type { CallContext } from '../calls/call-context.js';
import type { Json, JsonMembers } from '../json.js';
import type { Outcome } from '../outcome.js';
import { labelOf } from '../seal/execution-of.js';
import type { Sealed } from '../seal/seal.js';
import { guarded, type FrameworkDeps } from './framework-call.js';
import { partlyHeld, type PartlyHeld } from '../values/held-json.js';
import { outcomeOf } from '../values/json-of.js';
import { followResult } from './tool-result.js';

/** The provider of a tool's certificate. */
const TOOL_PROVIDER = 'tool';

export interface ToolCall {
  /** Certifies the call, once. Does not throw. */
  end(outcome: Outcome, output: () => Json): Sealed | null;
}

/** @returns null for a call that is left out by choice */
export function beginToolCall(
  { recorder }: FrameworkDeps,
  name: unknown,
  input: () => Json,
  { context, payload = {} }: { readonly context?: CallContext; readonly payload?: JsonMembers } = {},
): ToolCall | null {
  const model = labelOf(name, 'unnamed');
  const started = recorder.begin(`${TOOL_PROVIDER}:${model}`, input, context);
  if (started === null) return null;
  return {
    end: (outcome, output) =>
      started.end(outcome, () => ({
        provider: TOOL_PROVIDER,
        model,
        input: input(),
        output: output(),
        outputSha256: null,
        parameters: {},
        kind: 'tool-call',
        payload: { outcome, ...payload },
      })),
  };
}

/**
 * The same function, whose calls are certified: the arguments as a list, and the result. Results and errors are the
 * function's own. Arguments that JSON does not hold are named in the signal.
 */
export function observeTool<A extends unknown[], R>(
  deps: FrameworkDeps,
  name: string,
  tool: (...args: A) => R,
): (...args: A) => R {
  const observed = function (this: unknown, ...args: A): R {
    deps.recorder.admit();
    // A tool may change its arguments.
    const input = guarded(deps.failed, () => partlyHeld(args));
    const call = input === null ? null : guarded(deps.failed, () => beginWith(deps, name, input));
    if (input === null) deps.recorder.passOver();
    let result: R;
    try {
      result = tool.apply(this, args);
    } catch (error) {
      call?.end(outcomeOf(error), () => ({}));
      throw error;
    }
    return call === null ? result : followResult(result, call);
  };
  guarded(deps.failed, () => {
    stateMembers(tool, observed);
  });
  return observed;
}

/** SDKs read the name of a function and what a program has added to it. */
function stateMembers(tool: object, observed: object): void {
  for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(tool))) {
    if (own.enumerable === true || name === 'name' || name === 'length') Object.defineProperty(observed, name, own);
  }
}

function beginWith(deps: FrameworkDeps, name: string, { content, without }: PartlyHeld): ToolCall | null {
  return beginToolCall(deps, name, () => content, without.length === 0 ? {} : { payload: { inputWithout: without } });
}
