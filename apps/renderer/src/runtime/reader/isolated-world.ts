import {
  callsImport,
  faultOfSyntax,
  pinSyntax,
  pngEncoder,
  SketchSyntaxError,
  type SketchDefinitions,
  type SketchFault,
  type SketchInput,
} from '@cer/sketch-engine';
import { CANVAS_HEIGHT, CANVAS_WIDTH } from '@cer/sketch-engine/render-rules';
import { alphaRows, unpackAlpha } from '../packed-alpha.js';
import { PAGE_EVENTS } from '../page-events.js';
import { toBase64 } from './base64.js';
import { createCanvasReader, type FrameHash } from './canvas-reader.js';
import { frameHash, sha256Hex } from './frame-hash.js';

/** What the service calls in the isolated world; every answer is plain JSON. */
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
  /** The hashes that are finished since the last call, in order. */
  readonly hashes: readonly string[];
  readonly posterBase64?: string;
  readonly pictures?: readonly string[];
}

const DREW_LATE: SketchFault = {
  code: 'PROTOCOL_VIOLATION',
  message: 'a frame was drawn on after draw() had ended',
};

/** A refusal by a policy reaches the sketch at a time that depends on the machine: it would be a clock. */
const WENT_OUT: SketchFault = {
  code: 'PROTOCOL_VIOLATION',
  message: 'a sketch cannot import or go to an address',
};

/** A getter of the sketch may see this name, so it is the same in every render. */
const PROBE = 'sketchProbe';

/** Maximum frames that are hashed while the next one is drawn; each takes the memory of a picture. */
const FRAMES_AHEAD = 2;

/** The engine's module that encodes PNG, as base64; written in when the page's scripts are bundled. */
declare const PNG_MODULE: string;

function createPageReader(): PageReader {
  const canvas = document.querySelector('canvas');
  if (canvas === null) throw new Error('the page has no canvas');
  const reader = createCanvasReader(canvas);
  const channel = canvas.dataset;
  const engine = channel['opaque'] === undefined ? 'native' : 'portable';
  // Compiled before the page is given out.
  const encodePng = pngEncoder(PNG_MODULE);
  let drawn = 0;
  /** Of frames that are drawn, in order. */
  const hashing: Promise<string>[] = [];
  /** The first frame of a loop as PNG, in base64. */
  let poster: string | undefined;

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
  let wentOut = false;
  addEventListener(
    'securitypolicyviolation',
    () => {
      wentOut = true;
    },
    true,
  );
  /** The alpha of a picture with transparency is read as a second picture. */
  const readTransparent = (): Uint8ClampedArray<ArrayBuffer> => {
    const pixels = reader.readPixels();
    fire(PAGE_EVENTS.alpha);
    unpackAlpha(reader.readPixels(alphaRows(CANVAS_HEIGHT)), pixels);
    return pixels;
  };
  const isTransparent = (): boolean => channel['opaque'] === '0';
  const pngOf = (pixels: Uint8ClampedArray<ArrayBuffer>): string =>
    toBase64(encodePng(pixels, CANVAS_WIDTH, CANVAS_HEIGHT));
  /** A portable picture is shown only when a frame is drawn: the canvas may be read late. The alpha is shown once. */
  const hashPortable = (): FrameHash => {
    const transparent = isTransparent() ? readTransparent() : undefined;
    if (drawn === 0) poster = pngOf(transparent ?? reader.readPixels());
    return transparent === undefined ? reader.hashOpaqueFrame() : { hash: frameHash(transparent) };
  };
  const nextHash = async (): Promise<string> => (await hashing.shift()) ?? '';
  const encoded = async (type: 'image/png' | 'image/jpeg', quality?: number): Promise<string> =>
    toBase64(await reader.encode(type, quality));

  return {
    async prepareFrames() {
      await reader.prepareFrames();
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
      runScript(`${PROBE}(typeof setup === 'function' ? setup : 0, typeof draw === 'function' ? draw : 0)`);
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
      if (engine === 'portable') {
        const pixels = isTransparent() ? readTransparent() : reader.readPixels();
        const [pixelHash] = await Promise.all([sha256Hex(pixels), queuedTasks()]);
        if (wentOut) return { fault: WENT_OUT };
        return { pixelHash, pngBase64: pngOf(pixels) };
      }
      const pixels = reader.readPixels();
      // Both read the canvas before code of the sketch can run again.
      const [pixelHash, pngBase64] = await Promise.all([sha256Hex(pixels), encoded('image/png'), queuedTasks()]);
      return wentOut ? { fault: WENT_OUT } : { pixelHash, pngBase64 };
    },
    async frames(count, budgetMs, picture) {
      const end = performance.now() + budgetMs;
      const hashes: string[] = [];
      const pictures: string[] = [];
      const isFirst = drawn === 0;
      while (drawn < count && performance.now() < end) {
        channel['frame'] = String(drawn);
        const fault = fire(PAGE_EVENTS.frame);
        if (fault !== undefined) return { fault };
        const first = drawn === 0 && engine === 'native' ? encoded('image/png') : undefined;
        const shown = picture === null ? undefined : encoded(picture.type, picture.quality);
        const frame = engine === 'native' ? await reader.hashFrame() : hashPortable();
        if (frame === null) return { fault: DREW_LATE };
        hashing.push(frame.hash);
        drawn += 1;
        if (first !== undefined) poster = await first;
        if (shown !== undefined) pictures.push(await shown);
        // What the sketch left to a later turn runs between two frames.
        await nextTurn();
        if (wentOut) return { fault: WENT_OUT };
        while (hashing.length > FRAMES_AHEAD) hashes.push(await nextHash());
      }
      if (drawn === count && hashing.length > 0) {
        while (hashing.length > 0) hashes.push(await nextHash());
        await queuedTasks();
        if (wentOut) return { fault: WENT_OUT };
      }
      return {
        drawn,
        hashes,
        ...(isFirst && poster !== undefined && { posterBase64: poster }),
        ...(picture !== null && { pictures }),
      };
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
