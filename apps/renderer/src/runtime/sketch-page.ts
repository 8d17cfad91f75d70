import type { DrawingContext } from './drawing/drawing-context.js';
import { createSketchApi, frameGlobals, type SketchApi, type SketchInput } from './drawing/sketch-api.js';
import type { MakeCanvas } from './drawing/surface.js';
import { firstViolation } from './drawing/violation.js';
import { faultOf, faultOfErrorEvent } from './faults.js';
import { PAGE_EVENTS, type SketchDefinitions, type SketchFault } from './page-events.js';
import { confine } from './prelude/confine.js';
import { closeEntropy } from './prelude/entropy.js';

/** What a sketch of this page draws with. */
export interface SketchEngine {
  /** The sketch's own canvas. */
  readonly ctx: DrawingContext;
  readonly makeCanvas: MakeCanvas;
  /** Puts the picture where the reader finds it; absent where the sketch draws there itself. */
  readonly present?: () => void;
  /** The names of the page that the sketch keeps. */
  readonly keeps: readonly string[];
}

/** @throws Error where the page has none */
export function pageCanvas(page: Document): HTMLCanvasElement {
  const canvas = page.querySelector('canvas');
  if (canvas === null) throw new Error('the page has no canvas');
  return canvas;
}

/**
 * Takes what it needs of the document, takes everything else away from the sketch, and then does what the reader asks by
 * events.
 */
export function preparePage({
  channel,
  ctx,
  makeCanvas,
  present,
  keeps,
}: SketchEngine & { readonly channel: DOMStringMap }): void {
  const { parse, stringify } = JSON;
  const { assign, create } = Object;
  const errorOf = faultOfErrorEvent();
  let api: SketchApi | undefined;
  let input: SketchInput | undefined;
  let setup: (() => unknown) | undefined;
  let draw: (() => unknown) | undefined;

  /** Whatever the sketch gives every object, a `toJSON` say, is not in what the reader gets. */
  const tell = (name: 'fault' | 'defines', said: SketchFault | SketchDefinitions): void => {
    channel[name] = stringify(assign(create(null), said));
  };
  let failed = false;
  const report = (fault: SketchFault): void => {
    if (!failed) tell('fault', fault);
    failed = true;
  };
  const setGlobal = (name: string, value: unknown): void => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  };
  const run = (step: (() => unknown) | undefined, name: string): void => {
    try {
      const result = step?.();
      if (typeof result === 'object' && result !== null && typeof (result as { then?: unknown }).then === 'function') {
        report({ code: 'PROTOCOL_VIOLATION', message: `${name}: must finish when it returns, it cannot be async` });
      }
    } catch (error) {
      report(faultOf(error));
    }
    const violation = firstViolation();
    if (violation !== undefined) report({ code: 'PROTOCOL_VIOLATION', message: violation });
  };

  const listen = addEventListener.bind(globalThis);
  const on = (name: string, act: () => void): void => {
    listen(name, act, true);
  };
  listen(
    'error',
    (event) => {
      report(errorOf(event));
    },
    true,
  );
  on(PAGE_EVENTS.start, () => {
    const given = parse(channel['input'] ?? '') as SketchInput;
    input = given;
    closeEntropy(globalThis, given.seed);
    api = createSketchApi(ctx, makeCanvas, given, setGlobal);
    for (const [name, value] of api.globals) setGlobal(name, value);
    Object.defineProperty(globalThis, 'VAR', {
      get: () => api?.globals.get('VAR'),
      set: () => {
        throw new TypeError('VAR is read-only');
      },
      configurable: true,
    });
  });
  on(PAGE_EVENTS.probe, () => {
    const name = channel['probe'] ?? '';
    setGlobal(name, (foundSetup: unknown, foundDraw: unknown) => {
      Reflect.deleteProperty(globalThis, name);
      if (typeof foundSetup === 'function') setup = foundSetup as () => unknown;
      if (typeof foundDraw === 'function') draw = foundDraw as () => unknown;
      tell('defines', { setup: setup !== undefined, draw: draw !== undefined });
    });
  });
  on(PAGE_EVENTS.setup, () => {
    run(setup, 'setup');
  });
  on(PAGE_EVENTS.frame, () => {
    if (api === undefined || input === undefined) return;
    const frame = Number(channel['frame']);
    // A still goes on from what setup() drew; a frame of a loop begins empty.
    if (input.totalFrames > 1) {
      api.beginFrame();
      for (const [name, value] of Object.entries(frameGlobals(frame, input))) setGlobal(name, value);
    }
    run(draw, 'draw');
    present?.();
  });
  confine(globalThis, keeps);
}
