import {
  callsImport,
  faultOfSyntax,
  pinSyntax,
  PROBE,
  PROBE_SCRIPT,
  SketchSyntaxError,
  type SketchDefinitions,
  type SketchFault,
  type SketchInput,
} from '@cer/sketch-engine';
import { PAGE_EVENTS } from '../page-events.js';
import { toBase64 } from './base64.js';
import { canvasSource } from './canvas-source.js';
import type { FrameReading } from './picture-source.js';
import { sentSource } from './sent-source.js';

/** The interface of the isolated world to the service; every answer is plain JSON. */
export interface PageReader {
  /** Before `load` where a loop is to follow. */
  prepareFrames(): Promise<null>;
  /** Runs the top level of the sketch and reports its functions. */
  load(code: string, input: SketchInput): SketchDefinitions | { readonly fault: SketchFault };
  setup(): { readonly fault: SketchFault } | null;
  /** `setup()`, `draw()` once, and the picture. */
  still(): Promise<StillReading | { readonly fault: SketchFault }>;
  /** Renders and hashes frames from where the last call ended, for about `budgetMs`. */
  frames(
    count: number,
    budgetMs: number,
    picture: FramePicture | null,
  ): Promise<FramesReading | { readonly fault: SketchFault }>;
}

export interface StillReading {
  readonly pixelHash: string;
  readonly pngBase64: string;
}

/** Output per frame in addition to its hash. */
export interface FramePicture {
  readonly type: 'image/jpeg';
  readonly quality: number;
}

export interface FramesReading {
  /** Total number of frames drawn. */
  readonly drawn: number;
  /** The hashes that are finished since the last call, in order; and their pictures, where they are wanted. */
  readonly hashes: readonly string[];
  readonly pictures: readonly string[];
  /** The first frame as PNG, with its hash. */
  readonly posterBase64?: string;
}

/**
 * A refusal by a policy reaches the sketch at a time that depends on the machine: it would be a clock. So would a new
 * fragment of the address: the browser sets only some per ten seconds.
 */
const WENT_OUT: SketchFault = {
  code: 'PROTOCOL_VIOLATION',
  message: 'a sketch cannot import or go to an address',
};

/** Maximum frames that are hashed while the next one is drawn; each takes the memory of a picture. */
const FRAMES_AHEAD = 2;

function createPageReader(): PageReader {
  const canvas = document.querySelector('canvas');
  if (canvas === null) throw new Error('the page has no canvas');
  const channel = canvas.dataset;
  const source = channel['engine'] === 'portable' ? sentSource(canvas) : canvasSource(canvas);
  let drawn = 0;
  /** Frames that are drawn, in order. */
  const reading: FrameReading[] = [];

  const fire = (name: string): SketchFault | undefined => {
    dispatchEvent(new Event(name));
    const text = channel['fault'];
    return text === undefined ? undefined : (JSON.parse(text) as SketchFault);
  };
  const runScript = (text: string): void => {
    const script = document.createElement('script');
    script.textContent = text;
    document.documentElement.append(script);
    script.remove();
  };
  /** A policy in the document is added to the one it came with. */
  const forbid = (directive: 'worker-src' | 'connect-src' | 'script-src'): void => {
    const policy = document.createElement('meta');
    policy.httpEquiv = 'Content-Security-Policy';
    policy.content = `${directive} 'none'`;
    document.head.append(policy);
  };
  let refused = false;
  addEventListener(
    'securitypolicyviolation',
    () => {
      refused = true;
    },
    true,
  );
  const address = location.href;
  // A fragment can be changed, but only a navigation removes it.
  const wentOut = (): boolean => refused || location.href !== address;
  return {
    async prepareFrames() {
      await source.prepareFrames();
      return null;
    },
    load(code, input) {
      if (callsImport(code)) return { fault: WENT_OUT };
      const script = pinned(code);
      if (typeof script !== 'string') return { fault: script };
      forbid('worker-src');
      forbid('connect-src');
      channel['input'] = JSON.stringify(input);
      fire(PAGE_EVENTS.start);
      runScript(`${script}\n//# sourceURL=sketch.js`);
      channel['probe'] = PROBE;
      const fault = fire(PAGE_EVENTS.probe);
      if (fault !== undefined) return { fault };
      // A second script also sees what `let` and `const` declare; comments and strings have no effect on it.
      runScript(PROBE_SCRIPT);
      // An address like `javascript:` would run in a later turn.
      forbid('script-src');
      return JSON.parse(channel['defines'] ?? '{"setup":false,"draw":false}') as SketchDefinitions;
    },
    setup() {
      const fault = fire(PAGE_EVENTS.setup);
      return fault === undefined ? null : { fault };
    },
    async still() {
      channel['frame'] = '0';
      // In one turn, so that no later code of the sketch changes the picture.
      const fault = fire(PAGE_EVENTS.setup) ?? fire(PAGE_EVENTS.frame);
      if (fault !== undefined) return { fault };
      const [{ pixelHash, png }] = await Promise.all([source.still(), queuedTasks()]);
      return wentOut() ? { fault: WENT_OUT } : { pixelHash, pngBase64: toBase64(png) };
    },

    async frames(count, budgetMs, picture) {
      const end = performance.now() + budgetMs;
      const hashes: string[] = [];
      const pictures: string[] = [];
      let poster: string | undefined;
      const finishUntil = async (left: number): Promise<void> => {
        for (let frame = reading[0]; frame !== undefined && reading.length > left; frame = reading[0]) {
          hashes.push(await frame.hash);
          if (frame.png !== undefined) poster = toBase64(await frame.png);
          if (frame.jpeg !== undefined) pictures.push(toBase64(await frame.jpeg));
          reading.shift();
        }
      };
      while (drawn < count && performance.now() < end) {
        channel['frame'] = String(drawn);
        const fault = fire(PAGE_EVENTS.frame);
        if (fault !== undefined) return { fault };
        const frame = await source.frame({ png: drawn === 0, jpeg: picture?.quality });
        // A frame that is no longer awaited may fail.
        for (const result of [frame.hash, frame.png, frame.jpeg]) result?.catch(() => undefined);
        reading.push(frame);
        drawn += 1;
        // Tasks that the sketch deferred run between two frames.
        await nextTurn();
        if (wentOut()) return { fault: WENT_OUT };
        await finishUntil(FRAMES_AHEAD);
      }
      if (drawn === count && reading.length > 0) {
        await finishUntil(0);
        await queuedTasks();
        if (wentOut()) return { fault: WENT_OUT };
      }
      return { drawn, hashes, pictures, ...(poster !== undefined && { posterBase64: poster }) };
    },
  };
}

const TASKS_MS = 20;

/** Waits for tasks that the sketch queued: only then is it known whether it tried to navigate. */
function queuedTasks(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, TASKS_MS);
  });
}

const turns = new MessageChannel();

/** Yields to other tasks of this thread. One caller at a time. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    turns.port1.onmessage = () => {
      resolve();
    };
    turns.port2.postMessage(null);
  });
}

/** @returns the rewritten script of the sketch, or the fault of its syntax */
function pinned(code: string): string | SketchFault {
  try {
    return pinSyntax(code);
  } catch (error) {
    if (!(error instanceof SketchSyntaxError)) throw error;
    return faultOfSyntax(error);
  }
}

Object.assign(globalThis, { reader: createPageReader() });
