/**
 * The messages between the two worlds of the page: the trusted reader in its isolated world, and the sketch's main
 * world. They share only the document, so they communicate by events without content and by the canvas's `data-`
 * attributes, which are plain text. The pixels of the portable engine pass through a port that the sketch cannot reach.
 */
export const PAGE_EVENTS = {
  /** `data-input`: a SketchInput as JSON. */
  start: 'sketch-start',
  /** `data-probe`: the name under which the probe function is to appear. */
  probe: 'sketch-probe',
  /** `data-defines`: a SketchDefinitions as JSON, once the probe was called; `data-fault`: a SketchFault as JSON, at any time. */
  setup: 'sketch-setup',
  /** `data-frame`: the frame's index. */
  frame: 'sketch-frame',
  /** Before a sketch is loaded: a MessageEvent whose port gets the pictures of the portable engine. */
  port: 'sketch-port',
} as const;

/** Where the page finds the portable engine, before a sketch runs. */
export const ENGINE_ADDRESS = 'https://sketch.invalid/engine';
