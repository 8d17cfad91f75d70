import { faultOf, MAX_MESSAGE_CHARACTERS, takeGetter, type SketchFault } from '@cer/sketch-engine';

/** Makes the reader of `error` events, from getters taken before the page is confined. */
export function faultOfErrorEvent(): (event: ErrorEvent) => SketchFault {
  const message = takeGetter(ErrorEvent.prototype, 'message');
  const filename = takeGetter(ErrorEvent.prototype, 'filename');
  const lineno = takeGetter(ErrorEvent.prototype, 'lineno');
  const error = takeGetter(ErrorEvent.prototype, 'error');
  return (event) => {
    const thrown = error(event);
    const fault = faultOf(thrown);
    // A script that does not parse has no file name yet.
    const inSketch = thrown instanceof SyntaxError || String(filename(event)).endsWith('sketch.js');
    const line = inSketch ? Number(lineno(event)) : 0;
    const text = thrown instanceof Error ? fault.message : String(message(event)).slice(0, MAX_MESSAGE_CHARACTERS);
    return { ...(line > 0 && { line }), ...fault, message: text };
  };
}
