import { pngPixels } from '../../../../scripts/gallery/png-pixels.mjs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sha256 } from '@cer/cer-core';
import { readSkia } from '@cer/sketch-engine/files';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENGINES } from '../../src/sandbox/page-bundle.js';
import { startRenderer, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';

const DISC = 'function setup() { background(0, 90, 200); circle(width / 2, height / 2, 900); }';
const LOOP = 'function draw() { background(20); circle(100 + frameCount * 50, t * height, 80); }';

describeWithBrowser('The renderer over HTTP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-engines-'));
  let renderer: RendererUnderTest;
  beforeAll(async () => {
    renderer = await startRenderer({ MAX_TOTAL_FRAMES: '60', RENDER_MEMORY_MIB: '400', RENDER_ENGINES_FOLDER: folder });
  });
  afterAll(async () => {
    await renderer.close();
    rmSync(folder, { recursive: true });
  });
  const loop = (code: string, more: object) => renderer.post('/loop', { tenantId: 't', code, ...more });

  it('answers a still with a PNG of the runtime hash', async () => {
    const { status, body } = await renderer.still(DISC);
    expect(status).toBe(200);
    const png = Buffer.from(String(body['pngBase64']), 'base64');
    expect(body).toMatchObject({ runtimeHash: sha256(png), width: 1950, height: 2400, sdkVersion: '1.8.4' });
    expect(body['rendererVersion']).toMatch(/^chromium-[\d.]+\+codemode-1\.8\.4\+[0-9a-f]{16}$/);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1950, 2400]);
  });

  it('draws with an older module of Skia from its folder', async () => {
    const installed = await readSkia();
    // A custom section changes the module's bytes, and not its results.
    const older = Buffer.concat([installed, Buffer.from([0, 2, 1, 0x78])]);
    const wasmHash = sha256(older);
    const file = `${wasmHash.slice('sha256:'.length)}.wasm`;
    const { body } = await renderer.still(DISC);
    const current = body['engine'] as object;
    const engine = { ...current, wasmHash };
    const missing = await renderer.still(DISC, { engine });
    expect(missing).toMatchObject({ status: 422, body: { error: 'CANNOT_BE_JUDGED' } });
    expect(missing.body['message']).toContain(`has no ${file}`);
    writeFileSync(join(folder, file), installed);
    expect((await renderer.still(DISC, { engine })).body['message']).toContain('has another hash');
    writeFileSync(join(folder, file), older);
    const drawn = await renderer.still(DISC, { engine, twice: true });
    expect(drawn).toMatchObject({ status: 200, body: { engine, pixelHash: body['pixelHash'] } });
    expect((await loop(LOOP, { totalFrames: 2, engine })).body).toMatchObject({ engine });
    expect((await renderer.still(DISC, { engine: current })).body).toMatchObject({ engine: current });
  });

  it.each(['version', 'mathHash', 'fontsHash'])('cannot judge an engine of another %s', async (part) => {
    const current = (await renderer.still(DISC)).body['engine'] as object;
    const { status, body } = await renderer.still(DISC, { engine: { ...current, [part]: 'another' } });
    expect([status, body['error']]).toEqual([422, 'CANNOT_BE_JUDGED']);
    expect(body['message']).toContain(`engine.${part} is another one`);
  });

  it('renders twice on request and answers once', async () => {
    expect((await renderer.still(DISC, { twice: true })).body['pixelHash']).toBe(
      (await renderer.still(DISC)).body['pixelHash'],
    );
  });

  it('answers a loop with the hashes of its frames', async () => {
    const { status, body } = await loop(LOOP, { totalFrames: 5, fps: 25, frameHashes: true });
    expect(status).toBe(200);
    const hashes = body['frameHashes'] as readonly string[];
    expect(new Set(hashes).size).toBe(5);
    const joined = Buffer.from(hashes.map((hash) => hash.slice('sha256:'.length)).join(''), 'hex');
    const poster = Buffer.from(String(body['posterPngBase64']), 'base64');
    expect(body).toMatchObject({
      animationHash: sha256(joined),
      posterHash: sha256(poster),
      frames: 5,
      fps: 25,
      hashScheme: 'rgba-chunk512k-sha256-v1',
    });
  });

  /** Every alpha with some values of each colour. */
  const SHADES =
    'noStroke(); for (let a = 0; a < 256; a++) for (let v = 0; v < 256; v += 15) { fill(v, 255 - v, a ^ v, a); rect(a * 7, v * 9, 7, 135); }';

  it.each(
    ENGINES.flatMap((engine) => [
      [engine, 'opaque frames', 'background(90); fill(200, 10, 10); rect(0, 0, 700, 700);'],
      [engine, 'transparent frames', SHADES],
      [engine, 'transparent frames after an opaque one', SHADES, 'if (frameCount < 1) background(90);'],
    ]),
  )('by %s, hashes %s over the chunks of their pixels', async (engine, _name, drawing, before = '') => {
    const { body } = await loop(`function draw() { ${before} ${drawing} }`, {
      engine,
      totalFrames: 4,
      frameHashes: true,
    });
    // The still's PNG, decoded here, gives the pixels that both hashes are said to be of.
    const still = await renderer.still(`function draw() { ${drawing} }`, { engine });
    const pixels = pngPixels(Buffer.from(String(still.body['pngBase64']), 'base64'));
    expect(sha256(pixels)).toBe(still.body['pixelHash']);
    if (before === '') expect(body['posterHash']).toBe(still.body['runtimeHash']);
    const chunks = Array.from({ length: Math.ceil(pixels.length / 524_288) }, (_, i) =>
      sha256(pixels.subarray(i * 524_288, (i + 1) * 524_288)),
    );
    const joined = Buffer.from(chunks.map((hash) => hash.slice('sha256:'.length)).join(''), 'hex');
    const hashes = body['frameHashes'] as readonly string[];
    expect(new Set(hashes.slice(before === '' ? 0 : 1))).toEqual(new Set([sha256(joined)]));
  });

  it.each(ENGINES)('uses the memory of transparent frames again, drawn by %s', async (engine) => {
    const drawn = await loop('function draw() { fill(200, 10, 10, 99); circle(frameCount, 300, 200); }', {
      engine,
      totalFrames: 60,
    });
    expect(drawn.body).toMatchObject({ frames: 60 });
  });

  it.each([1, 61, 2.5, '10', null, undefined, Number.MAX_SAFE_INTEGER])(
    'refuses totalFrames %p with LOOP_MODE_ERROR',
    async (totalFrames) => {
      expect(await loop(LOOP, { totalFrames })).toMatchObject({ status: 400, body: { error: 'LOOP_MODE_ERROR' } });
    },
  );

  it.each([
    ['without draw()', 'function setup() {}'],
    ['with draw() in a comment', '// function draw() {}\nfunction setup() {}'],
    ['with draw() in a string', 'const code = "function draw() {}"; function setup() {}'],
    ['with a draw that is not a function', 'let draw = 5; function setup() {}'],
  ])('refuses a loop %s with LOOP_MODE_ERROR', async (_name, code) => {
    expect(await loop(code, { totalFrames: 2 })).toMatchObject({ status: 400, body: { error: 'LOOP_MODE_ERROR' } });
    expect((await renderer.post('/inspect', { tenantId: 't', code })).body).toEqual({
      definesSetup: true,
      definesDraw: false,
    });
  });

  it.each([
    ['a declaration', 'function draw() {}'],
    ['const', 'const draw = () => {};'],
    ['let', 'let draw; draw = function () {};'],
    ['an assignment', 'globalThis.draw = () => {};'],
    ['a comment between', 'function /* here */ draw /* there */ () {}'],
  ])('finds draw() made by %s', async (_name, code) => {
    expect((await renderer.post('/inspect', { tenantId: 't', code })).body).toEqual({
      definesSetup: false,
      definesDraw: true,
    });
  });

  it('refuses a loop whose draw() throws in a later frame', async () => {
    const answer = await loop('function draw() {\n  if (frameCount === 3) throw new Error("in frame three");\n}', {
      totalFrames: 10,
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: 'RENDER_ERROR', message: 'Error: in frame three', line: 2 },
    });
  });

  it('names the line of a syntax or runtime error', async () => {
    expect(await renderer.still('function setup() {\n  let x = ;\n}')).toMatchObject({
      status: 422,
      body: { error: 'RENDER_ERROR', message: "SyntaxError: Unexpected token ';'", line: 2 },
    });
    expect(await renderer.still('\n\nfoo();')).toMatchObject({
      status: 422,
      body: { error: 'RENDER_ERROR', message: 'ReferenceError: foo is not defined', line: 3 },
    });
    expect(await renderer.still('function setup() {\n\n noSuch.thing();\n}')).toMatchObject({ body: { line: 3 } });
  });

  it('cuts a message of 50 MB to 2 KB', async () => {
    const { status, body } = await renderer.still('function setup() { throw new Error("x".repeat(50e6)); }');
    expect(status).toBe(422);
    expect(String(body['message']).length).toBeLessThanOrEqual(2048);
  });

  it.each([
    ['another canvas', 'function setup() { createCanvas(400, 400); }'],
    ['another canvas, its error caught', 'function setup() { try { createCanvas(400, 400); } catch {} }'],
    ['WEBGL', 'function setup() { createCanvas(1950, 2400, WEBGL); }'],
    ['another size later', 'function setup() { resizeCanvas(10, 10); }'],
    ['another pixel density', 'function setup() { pixelDensity(2); }'],
    ['the time of day', 'function setup() { circle(hour(), 5, 5); }'],
    ['the date', 'function setup() { circle(new Date().getTime(), 5, 5); }'],
    ['an async setup()', 'async function setup() { background(0); }'],
    ['an async function', 'const later = async () => {}; function setup() { later(); }'],
    ['a thenable setup()', 'function setup() { return { then() {} }; }'],
  ])('refuses a sketch that asks for %s with PROTOCOL_VIOLATION', async (_name, code) => {
    expect(await renderer.still(code)).toMatchObject({ status: 400, body: { error: 'PROTOCOL_VIOLATION' } });
  });

  it('takes the one canvas size as a call without effect', async () => {
    expect(
      (await renderer.still(DISC.replace('{', '{ createCanvas(1950, 2400).parent("x"); pixelDensity(1);'))).body[
        'pixelHash'
      ],
    ).toBe((await renderer.still(DISC)).body['pixelHash']);
  });

  it.each([
    ['no code', { code: undefined }],
    ['an empty code', { code: '' }],
    ['a number for the seed', { seed: 5 }],
    ['eleven variables', { vars: Array.from({ length: 11 }, () => 1) }],
    ['a variable over 100', { vars: [101] }],
    ['a variable below 0', { vars: [-1] }],
    ['a text as variable', { vars: ['1'] }],
    ['another width', { width: 1951, height: 2400 }],
    ['a width as text', { width: '1950', height: '2400' }],
    ['an unknown member', { colour: 'red' }],
    ['no tenant', { tenantId: undefined }],
    ['too much code', { code: `//${'x'.repeat(600 * 1024)}` }],
  ])('refuses %s with VALIDATION_ERROR', async (_name, change) => {
    expect(await renderer.post('/render', { tenantId: 't', code: DISC, ...change })).toMatchObject({
      status: 400,
      body: { error: 'VALIDATION_ERROR' },
    });
  });

  it('refuses callers without the internal token', async () => {
    for (const authorization of ['', 'Bearer wrong', 'Basic abc']) {
      const { status } = await fetch(`${renderer.url}/render`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{}',
      });
      expect(status).toBe(401);
    }
  });
});
