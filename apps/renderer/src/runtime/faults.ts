import { ProtocolViolation } from './drawing/violation.js';
import { MAX_MESSAGE_CHARACTERS, type SketchFault } from './page-events.js';
import { takeGetter } from './prelude/taken.js';

/** Where in the sketch's own text an error came from; the page's own functions stand above it in the stack. */
const SKETCH_LINE = /sketch\.js:(\d+)/;
const STACK_TAIL_CHARACTERS = 4000;

/** Describes what a sketch threw: it may be anything, and its text may be of any length. */
export function faultOf(thrown: unknown): SketchFault {
  const code = thrown instanceof ProtocolViolation ? 'PROTOCOL_VIOLATION' : 'RENDER_ERROR';
  const { text, stack } = describe(thrown);
  const line = SKETCH_LINE.exec(stack)?.[1];
  return { code, message: text.slice(0, MAX_MESSAGE_CHARACTERS), ...(line !== undefined && { line: Number(line) }) };
}

/** Makes the reader of `error` events, from getters taken before the page is confined. */
export function faultOfErrorEvent(): (event: ErrorEvent) => SketchFault {
  const message = takeGetter(ErrorEvent.prototype, 'message');
  const filename = takeGetter(ErrorEvent.prototype, 'filename');
  const lineno = takeGetter(ErrorEvent.prototype, 'lineno');
  const error = takeGetter(ErrorEvent.prototype, 'error');
  return (event) => {
    const thrown = error(event);
    const fault = faultOf(thrown);
    // A text that does not parse never gets as far as its own name.
    const inSketch = thrown instanceof SyntaxError || String(filename(event)).endsWith('sketch.js');
    const line = inSketch ? Number(lineno(event)) : 0;
    const text = thrown instanceof Error ? fault.message : String(message(event)).slice(0, MAX_MESSAGE_CHARACTERS);
    return { ...(line > 0 && { line }), ...fault, message: text };
  };
}

function describe(thrown: unknown): { readonly text: string; readonly stack: string } {
  try {
    if (!(thrown instanceof Error)) return { text: String(thrown), stack: '' };
    // A script that does not parse is reported through the call that inserted it.
    const message = thrown.message.replace(/^Failed to execute 'append' on 'Element': /, '');
    return { text: `${thrown.name}: ${message}`, stack: String(thrown.stack).slice(-STACK_TAIL_CHARACTERS) };
  } catch {
    return { text: 'the sketch threw something that has no text', stack: '' };
  }
}
