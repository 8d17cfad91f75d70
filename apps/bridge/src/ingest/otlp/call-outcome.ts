import { firstLabel } from './spans/attribute-values.js';
import type { ModelCall } from './spans/model-call.js';
import type { Span } from './spans/span.js';

/**
 * How a call ended: `complete`; `aborted`, the caller stopped reading, or the response lacks its end without an error;
 * `failed`, with an error; `truncated`, the model stopped at a limit of length.
 */
export type CallOutcome = 'complete' | 'aborted' | 'failed' | 'truncated';

const ABORT = /abort|cancell?ed/i;
const FAILURE = /^(error|failed)$/i;
const LENGTH = /^((model[_-])?length|max[_-](output[_-])?tokens|model_context_window_exceeded|incomplete)$/i;
const ERROR_TYPE = /^[\w.:-]{1,128}$/;

/** The type of an error that the span records, never its message. */
export function errorTypeOf({ attributes, events }: Span): string | undefined {
  const exception = events.find(({ name }) => name === 'exception');
  const recorded =
    firstLabel(attributes, 'error.type') ??
    (exception === undefined ? undefined : firstLabel(exception.attributes, 'exception.type'));
  return recorded !== undefined && ERROR_TYPE.test(recorded) ? recorded : undefined;
}

/** Undefined when the span shows neither an end nor an error nor content. @see docs/bridge.md, "Outcomes" */
export function outcomeOf(span: Span, call: ModelCall): CallOutcome | undefined {
  const { finishReasons, operation, input, output, usage, responseId } = call;
  const hasReason = (form: RegExp): boolean => finishReasons.some((reason) => form.test(reason));
  const errorType = errorTypeOf(span);
  if (hasReason(ABORT) || (errorType !== undefined && ABORT.test(errorType))) return 'aborted';
  if (span.status === 'error' || span.attributes.has('error.type') || hasReason(FAILURE)) return 'failed';
  if (hasReason(LENGTH)) return 'truncated';
  // An answer that is not streamed is there as a whole or not at all.
  if (finishReasons.length > 0 || span.status === 'ok' || operation === 'embeddings') return 'complete';
  if (call.isStreamed) return 'aborted';
  if (output !== undefined || usage['outputTokens'] !== undefined) return 'complete';
  return input !== undefined || responseId !== undefined ? 'aborted' : undefined;
}
