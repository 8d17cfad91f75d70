import type { DrawingContext } from '../drawing/drawing-context.js';
import { createSketchApi, frameGlobals, type SketchApi, type SketchInput } from '../drawing/sketch-api.js';
import type { MakeCanvas } from '../drawing/surface.js';
import { failForGood, firstFinalFault } from '../drawing/violation.js';
import { pinRealm } from '../language/pin-realm.js';
import { closeEntropy } from '../prelude/entropy.js';
import { faultOf, type SketchDefinitions, type SketchFault } from './sketch-fault.js';

/** The drawing engine of the sketches of one realm. */
export interface SketchEngine {
  /** The sketch's own canvas. */
  readonly ctx: DrawingContext;
  readonly makeCanvas: MakeCanvas;
}

/** One sketch in the realm that it shares with its drawing functions; its host evaluates its text there. */
export interface SketchRun {
  /** Gives the realm what a sketch knows; before its text is evaluated. */
  start(input: SketchInput): void;
  /**
   * Makes a global function that takes the sketch's `setup`, `draw` and `preload`, or anything else where it has none;
   * works once.
   */
  probe(name: string, answer: (defines: SketchDefinitions) => void): void;
  setup(): void;
  /** Draws one frame, counted from 0. @returns whether the sketch was started */
  frame(index: number): boolean;
}

/**
 * Runs a sketch in `scope`, the global object of this realm, whose language it pins: before `fixIntrinsics` and `confine`.
 * @param report receives each fault; only the first counts
 */
export function createSketchRun(
  scope: typeof globalThis,
  { ctx, makeCanvas }: SketchEngine,
  report: (fault: SketchFault) => void,
): SketchRun {
  const checkCatches = pinRealm(failAtLimit);
  const { defineProperty, entries } = Object;
  const { deleteProperty } = Reflect;
  let api: SketchApi | undefined;
  let input: SketchInput | undefined;
  let setup: (() => unknown) | undefined;
  let draw: (() => unknown) | undefined;
  let preload: (() => unknown) | undefined;

  const setGlobal = (name: string, value: unknown): void => {
    defineProperty(scope, name, { value, writable: true, configurable: true, enumerable: true });
  };
  const run = (step: (() => unknown) | undefined, name: string): void => {
    try {
      const result = step?.();
      if (typeof result === 'object' && result !== null && typeof (result as { then?: unknown }).then === 'function') {
        report({ code: 'PROTOCOL_VIOLATION', message: `${name}: must finish when it returns, it cannot be async` });
      }
    } catch (error) {
      report(firstFinalFault() ?? faultOf(error));
    }
    checkCatches();
    const fault = firstFinalFault();
    if (fault !== undefined) report(fault);
  };

  return {
    start(given) {
      input = given;
      closeEntropy(scope, given.seed);
      api = createSketchApi(ctx, makeCanvas, given, setGlobal);
      for (const [name, value] of api.globals) setGlobal(name, value);
      defineProperty(scope, 'VAR', {
        get: () => api?.globals.get('VAR'),
        set: () => {
          throw new TypeError('VAR is read-only');
        },
        configurable: true,
      });
    },
    probe(name, answer) {
      setGlobal(name, (foundSetup: unknown, foundDraw: unknown, foundPreload: unknown) => {
        deleteProperty(scope, name);
        api?.begin();
        if (typeof foundSetup === 'function') setup = foundSetup as () => unknown;
        if (typeof foundDraw === 'function') draw = foundDraw as () => unknown;
        if (typeof foundPreload === 'function') preload = foundPreload as () => unknown;
        answer({ setup: setup !== undefined, draw: draw !== undefined });
      });
    },
    setup() {
      run(() => {
        preload?.();
        return setup?.();
      }, 'setup');
    },
    frame(index) {
      if (api === undefined || input === undefined) return false;
      // A still continues from what setup() drew, without its transform; a frame of a loop starts empty.
      if (input.totalFrames === 1) api.beginStill();
      else {
        api.beginFrame();
        for (const [name, value] of entries(frameGlobals(index, input))) setGlobal(name, value);
      }
      run(draw, 'draw');
      return true;
    },
  };
}

/** Where a recursion or the memory ends is not the same in every run: the sketch fails, whatever it catches. */
function failAtLimit(thrown: unknown): void {
  const { message, ...fault } = limitFault(thrown);
  failForGood({ ...fault, message: `${message} (a sketch cannot catch this: it differs from run to run)` });
}

function limitFault(thrown: unknown): SketchFault {
  try {
    return faultOf(thrown);
  } catch {
    // No stack is left to describe it, or the sketch replaced what describes it.
    return { code: 'RENDER_ERROR', message: 'the sketch reached a limit' };
  }
}
