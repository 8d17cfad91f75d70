import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, createContext, runInContext, type Context } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { callsImport } from '../language/import-call.js';
import { pinSyntax, SketchSyntaxError } from '../language/pin-syntax.js';
import { pngEncoder } from '../png/encode-png.js';
import { unpremultiply } from '../portable/alpha.js';
import { CANVAS_HEIGHT, CANVAS_WIDTH, CHUNK_BYTES, FRAME_BYTES } from '../render-rules.js';
import { faultOfSyntax, type SketchFault } from '../run/sketch-fault.js';
import { PROBE, PROBE_SCRIPT, type RealmEntry, type SketchRealm } from '../worlds/sketch-realm.js';
import type { ProcessReport, ThreadOrder } from './messages.js';

// The host of one realm. No object of this side ever reaches the sketch, and no object of the sketch is looked at here:
// calls have primitive arguments and answers, and the pixels pass through a buffer whose bytes are read by its slots.

/** dist/png.wasm as base64; written in by the build. */
declare const PNG_MODULE: string;
const encodePng = pngEncoder(PNG_MODULE);

/** An error of the sketch that it may not describe itself. */
const DID_NOT_LOAD: SketchFault = { code: 'RENDER_ERROR', message: 'the sketch failed when it was loaded' };

function report(message: ProcessReport): void {
  parentPort?.postMessage(message);
}

/** An empty realm of the language: its global object is not connected to any object of the host. */
function makeRealm(): Context {
  return createContext(constants.DONT_CONTEXTIFY, {
    name: 'sketch',
    codeGeneration: { strings: false, wasm: true },
  });
}

/** A buffer of the realm's own. */
function realmBuffer(realm: Context, bytes: number): ArrayBuffer {
  return runInContext(`new ArrayBuffer(${bytes})`, realm) as ArrayBuffer;
}

async function openRealm({ files }: ThreadOrder): Promise<{ realm: Context; sketch: SketchRealm; shown: Uint8Array }> {
  const realm = makeRealm();
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
  runInContext(ATOB, realm);
  runInContext(text(files['pin-language']), realm);
  runInContext(text(files['redraw-world']), realm);
  const engine = realmBuffer(realm, files.engine.length);
  new Uint8Array(engine).set(files.engine);
  const pixels = realmBuffer(realm, FRAME_BYTES);
  const open = runInContext('openSketchRealm', realm) as RealmEntry;
  return { realm, sketch: await open(engine, pixels), shown: new Uint8Array(pixels) };
}

/** The module of Math is written as base64; the realm has no decoder. */
const ATOB = `globalThis.atob = (text) => {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let [bytes, bits, held] = ['', 0, 0];
  for (const digit of text) {
    if (digit === '=') break;
    held = ((held << 6) | digits.indexOf(digit)) & 0xffff;
    bits += 6;
    if (bits >= 8) bytes += String.fromCharCode((held >> (bits -= 8)) & 0xff);
  }
  return bytes;
}`;

/** Runs code of the sketch. @returns whether it ended without an error, which is not looked at */
function evaluate(text: string, realm: Context): boolean {
  try {
    runInContext(text, realm, { filename: 'sketch.js' });
    return true;
  } catch {
    return false;
  }
}

/** @returns the fault that a call of the realm reports, undefined without one */
function faultIn(call: () => unknown): SketchFault | undefined {
  let answer: unknown;
  try {
    answer = call();
  } catch {
    return { code: 'RENDER_ERROR', message: 'the sketch failed' };
  }
  if (typeof answer !== 'string') return DID_NOT_LOAD;
  return answer === '' ? undefined : (JSON.parse(answer) as SketchFault);
}

/** The pixels as they are certified: not premultiplied. Works in place, once per frame. */
function pixelsOf(shown: Uint8Array): Uint8Array {
  unpremultiply(shown);
  return shown;
}

const sha256Hex = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function frameHash(pixels: Uint8Array): string {
  const hash = createHash('sha256');
  for (let at = 0; at < pixels.length; at += CHUNK_BYTES)
    hash.update(
      createHash('sha256')
        .update(pixels.subarray(at, at + CHUNK_BYTES))
        .digest(),
    );
  return hash.digest('hex');
}

async function draw(order: ThreadOrder): Promise<SketchFault | undefined> {
  const { code, input } = order;
  if (callsImport(code)) return { code: 'PROTOCOL_VIOLATION', message: 'a sketch cannot import or go to an address' };
  const script = pinSyntax(code);
  const { realm, sketch, shown } = await openRealm(order);
  sketch.start(JSON.stringify(input), PROBE);
  if (!evaluate(script, realm) || !evaluate(PROBE_SCRIPT, realm)) return DID_NOT_LOAD;
  await nextTurn();
  if (input.totalFrames === 1) {
    const fault = faultIn(() => sketch.setup()) ?? faultIn(() => sketch.frame(0));
    if (fault !== undefined) return fault;
    const pixels = pixelsOf(shown);
    const imageHash = sha256Hex(encodePng(pixels, CANVAS_WIDTH, CANVAS_HEIGHT));
    report({ kind: 'picture', outputHash: sha256Hex(pixels), imageHash });
    return undefined;
  }
  if (!sketch.defines('draw')) return { code: 'RENDER_ERROR', message: 'loop mode needs draw()' };
  const fault = faultIn(() => sketch.setup());
  if (fault !== undefined) return fault;
  return drawFrames(sketch, shown, input.totalFrames);
}

async function drawFrames(sketch: SketchRealm, shown: Uint8Array, count: number): Promise<SketchFault | undefined> {
  const animation = createHash('sha256');
  let imageHash = '';
  for (let index = 0; index < count; index++) {
    // Tasks that the sketch deferred run between two frames, as in a page.
    await nextTurn();
    const fault = faultIn(() => sketch.frame(index));
    if (fault !== undefined) return fault;
    const pixels = pixelsOf(shown);
    if (index === 0) imageHash = sha256Hex(encodePng(pixels, CANVAS_WIDTH, CANVAS_HEIGHT));
    const hash = frameHash(pixels);
    animation.update(hash, 'hex');
    report({ kind: 'frame', hash });
  }
  report({ kind: 'picture', outputHash: animation.digest('hex'), imageHash });
  return undefined;
}

// Reasons are the sketch's own objects: looking at one could call its code with objects of this side.
process.on('unhandledRejection', () => undefined);

draw(workerData as ThreadOrder).then(
  (fault) => {
    if (fault !== undefined) report({ kind: 'fault', fault });
  },
  (error: unknown) => {
    if (!(error instanceof SketchSyntaxError)) throw new Error('the engine cannot be started');
    report({ kind: 'fault', fault: faultOfSyntax(error) });
  },
);
