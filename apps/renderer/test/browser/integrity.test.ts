import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ENGINES, type EngineName } from '../../src/sandbox/page-bundle.js';
import { LANGUAGE } from '@cer/sketch-engine';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRenderer, type Answer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';
import { IS_LONG } from './long-tests.js';

const LANGUAGE_TESTS = join(__dirname, '../../../../packages/sketch-engine/test/language');
const LIST_MEMBERS = readFileSync(join(LANGUAGE_TESTS, 'list-members.js'), 'utf8');
const MEMBERS: unknown = JSON.parse(readFileSync(join(LANGUAGE_TESTS, 'members.json'), 'utf8'));

const PICTURE =
  'background(40, 80, 120); fill(250, 200, 0); circle(width / 2, height / 2, 1200); fill(0); textSize(200); text("true", 200, 300);';

/** An attacker's changes of the page before drawing; the hash must be that of the honest picture. */
const TAMPERING: Readonly<Record<string, string>> = {
  getImageData:
    'Object.getPrototypeOf(drawingContext).getImageData = () => ({ data: new Uint8ClampedArray(18720000) });',
  'the typed arrays':
    'globalThis.Uint8Array = globalThis.Uint32Array = globalThis.Uint8ClampedArray = function () { return []; };',
  'Object.prototype':
    "try { Object.defineProperty(Object.prototype, 'fault', { get: () => undefined }); } catch {} Object.prototype.toJSON = () => 'forged'; Object.prototype.then = (done) => done('forged');",
  'Array.prototype': 'Array.prototype.map = Array.prototype.join = Array.prototype[Symbol.iterator] = undefined;',
  'JSON and String':
    'JSON.stringify = () => \'{"setup":true,"draw":false}\'; JSON.parse = () => ({}); String.prototype.slice = () => \'forged\';',
  'what sends a picture':
    'Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true }); globalThis.MessagePort = globalThis.MessageEvent = globalThis.ArrayBuffer = undefined; globalThis.onmessage = () => undefined;',
  'what the browser exposes of the reader':
    "globalThis.reader = { still: () => ({ pixelHash: '0'.repeat(64) }) }; globalThis.crypto = { subtle: { digest: () => new ArrayBuffer(32) } }; globalThis.VideoFrame = function () {};",
};

/** Uses of forbidden things; each fails. */
const ABSENT = [
  'window.open("https://example.com")',
  'setTimeout(() => {}, 0)',
  'setInterval(() => {}, 0)',
  'requestAnimationFrame(() => {})',
  'queueMicrotask(() => {})',
  'new Promise(() => {})',
  'Promise.resolve().then(() => {})',
  'fetch("/")',
  'new XMLHttpRequest()',
  'new WebSocket("wss://example.com")',
  'new Worker("data:,")',
  'new SharedWorker("data:,")',
  'new Image()',
  'new Audio()',
  'new OffscreenCanvas(1, 1)',
  'document.createElement("iframe")',
  'document.write("x")',
  'document.cookie.length',
  'localStorage.length',
  'indexedDB.open("x")',
  'navigator.hardwareConcurrency',
  'performance.now()',
  'crypto.getRandomValues(new Uint8Array(1))',
  'new Intl.DateTimeFormat().format()',
  'Temporal.Now.instant()',
  'new WeakRef({})',
  'new FinalizationRegistry(() => {})',
  'new SharedArrayBuffer(8)',
  'Atomics.wait()',
  'new WebAssembly.Memory({ initial: 1 })',
  'eval("1")',
  'setup.constructor("return 1")()',
  'alert(1)',
  'postMessage(1)',
  'structuredClone({})',
  'require("fs")',
  'process.exit()',
  'document.timeline.currentTime',
  'getComputedStyle(document.body).color',
  'new Event("x").timeStamp',
  'dispatchEvent({})',
  'history.length.x',
  'screen.width',
  'alert`1`',
];

describeWithBrowser('What a sketch cannot touch', () => {
  let renderer: RendererUnderTest;
  const honest = new Map<EngineName, unknown>();
  const honestLoops = new Map<EngineName, unknown>();
  const loop = (engine: EngineName, more: string): Promise<Answer> =>
    renderer.post('/loop', { tenantId: 't', engine, code: `function draw() { ${PICTURE} ${more} }`, totalFrames: 3 });
  beforeAll(async () => {
    renderer = await startRenderer();
    for (const engine of ENGINES) {
      honest.set(engine, (await renderer.still(`function setup() { ${PICTURE} }`, { engine })).body['pixelHash']);
      honestLoops.set(engine, (await loop(engine, '')).body['animationHash']);
    }
    expect([...honest.values(), ...honestLoops.values()]).not.toContain(undefined);
  });
  afterAll(async () => {
    await renderer.close();
  });

  const tampering = ENGINES.flatMap((engine) =>
    Object.entries(TAMPERING).map(([name, code]) => [engine, name, code] as const),
  );

  it.each(tampering)('hashes the true pixels of %s when a sketch overwrites %s', async (engine, _name, code) => {
    const answer = await renderer.still(`function setup() { ${PICTURE} ${code} }`, { engine });
    expect(answer).toMatchObject({ status: 200, body: { pixelHash: honest.get(engine) } });
  });

  it.each(tampering)('hashes true loop frames of %s when a sketch overwrites %s', async (engine, _name, tampered) => {
    const answer = await loop(engine, `if (frameCount === 2) { ${tampered} }`);
    expect(answer).toMatchObject({ status: 200, body: { animationHash: honestLoops.get(engine) } });
  });

  it.each([
    ['resizing the canvas', 'drawingContext.canvas.width = 10; drawingContext.canvas.setAttribute?.("width", 10);'],
    ['removing the canvas', 'drawingContext.canvas.remove?.(); document.body?.remove?.();'],
    ['another context', 'drawingContext.canvas.getContext?.("webgl");'],
    ['transferring the canvas', 'drawingContext.canvas.transferControlToOffscreen?.();'],
    ['a console flood', 'for (let i = 0; i < 2e5; i++) console.log("x".repeat(1000), i);'],
  ])('draws the same picture after %s', async (_name, trick) => {
    const answer = await renderer.still(`function setup() { ${PICTURE} ${trick} }`);
    expect(answer).toMatchObject({ status: 200, body: { pixelHash: honest.get('portable') } });
  });

  it.each(IS_LONG ? ABSENT : ABSENT.slice(-1))('has no %s', async (expression) => {
    expect(await renderer.still(`function setup() { ${expression}; }`)).toMatchObject({
      status: 422,
      body: { error: 'RENDER_ERROR' },
    });
  });

  it('has nothing that reaches out of the sketch', async () => {
    const tries = ABSENT.map((use) => `try { (() => { ${use}; })(); return; } catch { refused += 1; }`);
    const code = `let refused = 0; function setup() { (() => { ${tries.map((one) => `(() => { ${one} })();`).join(' ')} })(); throw new Error(refused); }`;
    expect((await renderer.still(code)).body['message']).toBe(`Error: ${ABSENT.length}`);
  });

  it('ends a sketch that leaves its page', async () => {
    for (const target of ['https://example.com/', 'file:///etc/passwd', 'about:blank', 'javascript:void 0', '#there']) {
      const { status } = await renderer.still(
        `function setup() { location.href = ${JSON.stringify(target)}; for (let i = 0; i < 100; i++) ${PICTURE} }`,
      );
      expect([200, 400, 422]).toContain(status);
    }
    expect((await renderer.still(`function setup() { ${PICTURE} }`)).body['pixelHash']).toBe(honest.get('portable'));
  });

  it.each([
    ['gives every object a fault', "Object.prototype.fault = 'x';"],
    ['gives every object its own text', 'Object.prototype.toJSON = () => undefined;'],
  ])('reports the failure of a sketch that %s', async (_name, tampering) => {
    const failing = "throw new Error('true');";
    const failed = { status: 422, body: { error: 'RENDER_ERROR', message: 'Error: true' } };
    expect(await renderer.still(`${tampering} function setup() { ${PICTURE} ${failing} }`)).toMatchObject(failed);
    const code = `${tampering} function draw() { if (frameCount === 2) { ${failing} } }`;
    expect(await renderer.post('/loop', { tenantId: 't', code, totalFrames: 3 })).toMatchObject(failed);
  });

  it('shows one sketch nothing of another', async () => {
    await renderer.still(
      `globalThis.secret = 'left behind'; Array.prototype.leak = 'left behind'; function setup() { ${PICTURE} document.title = 'left'; }`,
    );
    const { body } = await renderer.still(
      'function setup() { throw new Error(JSON.stringify([typeof secret, [].leak, get(5, 5)])); }',
    );
    expect(body['message']).toBe('Error: ["undefined",null,[0,0,0,0]]');
  });

  it('ends an infinite recursion with a sketch error', async () => {
    expect(await renderer.still('function setup() { setup(); }')).toMatchObject({
      status: 422,
      body: { error: 'RENDER_ERROR' },
    });
  });

  it.each(ENGINES)('keeps exactly the listed members of the language with %s', async (engine) => {
    const code = `${LIST_MEMBERS}
      function setup() {
        const listed = ${JSON.stringify(MEMBERS)};
        const found = listMembers(${JSON.stringify(LANGUAGE.filter((name) => name !== 'globalThis'))});
        const paths = Object.keys({ ...listed, ...found }).filter((path) => listed[path] !== found[path]);
        throw new Error(JSON.stringify(paths.slice(0, 5).map((path) => [path, listed[path], found[path]])));
      }`;
    expect((await renderer.still(code, { engine })).body['message']).toBe('Error: []');
  });

  it.each([
    [
      'portable',
      'AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError Float32Array Float64Array Int16Array Int32Array Int8Array Map Number Object Proxy RangeError ReferenceError RegExp Set String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet',
    ],
    [
      'chromium-native',
      'AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean CanvasGradient CanvasPattern CanvasRenderingContext2D DOMMatrix DOMMatrixReadOnly DOMPoint DOMPointReadOnly DOMRect DOMRectReadOnly DataView Date Error EvalError Float32Array Float64Array ImageData Int16Array Int32Array Int8Array Map Number Object Path2D Proxy RangeError ReferenceError RegExp Set String Symbol SyntaxError TextMetrics TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet',
    ],
  ])('keeps exactly the reviewed names with %s', async (engine, names) => {
    const { body } = await renderer.still(
      "function setup() { throw new Error(Object.getOwnPropertyNames(globalThis).filter((name) => typeof globalThis[name] === 'function' && /^[A-Z]/.test(name)).sort().join(' ')); }",
      { engine },
    );
    expect(body['message']).toBe(`Error: ${names}`);
  });
});
