/** The frames of a stack trace that are kept; the sketch's own line must be among them. */
const FRAMES = 50;

interface Frame {
  getScriptNameOrSourceURL(): unknown;
  getLineNumber(): number | null;
}

const LINES = new WeakMap<object, number>();

/**
 * Lets no sketch read a stack trace: its frames name the engine's own files, and their number depends on the engine. The
 * line of the sketch is kept aside for its author.
 */
export function pinErrors(): void {
  const fixed = { writable: false, configurable: false, enumerable: false };
  // JavaScriptCore formats traces itself, and keeps the limit that is assigned, not the one that is defined.
  if (!asksForTraces()) Error.stackTraceLimit = 0;
  Object.defineProperties(Error, {
    stackTraceLimit: { value: FRAMES, ...fixed },
    prepareStackTrace: { value: noteLine, ...fixed },
  });
}

/** Gives errors an empty `stack` where they have none by now. After the builtins are pinned. */
export function addEmptyTraces(): void {
  const empty = { value: '', writable: true, configurable: true, enumerable: false };
  if (!Object.hasOwn(new Error(), 'stack')) Object.defineProperty(Error.prototype, 'stack', empty);
}

/** Whether this engine has a trace formatted by `Error.prepareStackTrace`. */
function asksForTraces(): boolean {
  Error.prepareStackTrace = () => 'asked';
  return new Error().stack === 'asked';
}

/** The name that hosts give the sketch's text. */
const SKETCH_FILE = 'sketch.js';

const noteLine = (error: unknown, frames: readonly Frame[]): string => {
  if (typeof error !== 'object' || error === null) return '';
  for (let i = 0; i < frames.length; i++) {
    const name = frames[i]?.getScriptNameOrSourceURL();
    if (typeof name !== 'string' || !name.endsWith(SKETCH_FILE)) continue;
    const line = frames[i]?.getLineNumber();
    if (typeof line === 'number') LINES.set(error, line);
    break;
  }
  return '';
};

/** The line of the sketch that an error comes from, counted from 1. */
export function lineOfError(error: Error): number | undefined {
  // The engine describes the stack when it is first read.
  return typeof error.stack === 'string' ? LINES.get(error) : undefined;
}
