import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { greyPng, sealedRender } from '@cer/cer-core/testing';
import { embedCertificate } from '@cer/cer-core/picture';
import { pngEncoder } from '@cer/sketch-engine';
import { readInstalledEngine, readPngModule, readSkia } from '@cer/sketch-engine/files';
import { CANVAS_HEIGHT, CANVAS_WIDTH } from '@cer/sketch-engine/render-rules';
import { cer, type Said } from '../testing/console.js';
import { Folder } from '../testing/files.js';

const SKETCHES = join(__dirname, '../../../../examples/sketches');

interface GalleryRow {
  readonly name: string;
  readonly seed: string;
  readonly vars?: readonly number[];
  readonly pixelHash?: Readonly<Record<string, string>>;
  readonly totalFrames?: number;
  readonly fps?: number;
  readonly animationHash?: Readonly<Record<string, string>>;
}

const GALLERY = JSON.parse(readFileSync(join(SKETCHES, 'gallery.json'), 'utf8')) as readonly GalleryRow[];
/** Text, blending, chaos and a loop. `GALLERY_ALL=1` draws every sketch. */
const FEW = ['typography', 'blend-modes', 'de-jong', 'standard-map'];
const ROWS = process.env['GALLERY_ALL'] === '1' ? GALLERY : GALLERY.filter(({ name }) => FEW.includes(name));

const sketchOf = ({ name }: GalleryRow): string => join(SKETCHES, `${name}.js`);
const rowOf = (name: string): GalleryRow => {
  const row = GALLERY.find((known) => known.name === name);
  if (row === undefined) throw new Error(`the gallery has no ${name}`);
  return row;
};

let folder: Folder;
let engine: JsonObject;
beforeAll(async () => {
  folder = new Folder();
  engine = { ...(await readInstalledEngine()).identity };
});
afterAll(() => {
  folder.remove();
});

/** An intact certificate of a gallery sketch, unsigned, with its pinned pixels. */
function certificate(row: GalleryRow, changes: JsonObject = {}): string {
  const { name, seed, vars = [], totalFrames, fps = 30 } = row;
  const members: JsonObject = {
    codeHash: sha256(readFileSync(sketchOf(row), 'utf8')),
    seed,
    vars: [...vars],
    execution: totalFrames === undefined ? { mode: 'static' } : { mode: 'loop', totalFrames, fps },
    outputHash: (row.pixelHash ?? row.animationHash)?.['portable'] ?? '',
    imageHash: sha256('not drawn yet'),
    sdkVersion: '1.8.4',
    engine,
    ...changes,
  };
  return folder.write(`${name}.json`, sealedRender(members).bundle);
}

const verify = (row: GalleryRow, path: string, ...more: string[]): Promise<Said> =>
  cer(['render', '--verify', path, '--code', sketchOf(row), '--json', ...more]);

const imageHashes = new Map<GalleryRow, string>();

/** The certificate as a renderer makes it: the PNG's hash is what is drawn, since the gallery pins pixels only. */
async function drawnCertificate(row: GalleryRow): Promise<string> {
  const imageHash = imageHashes.get(row) ?? (await drawnImageHash(row));
  imageHashes.set(row, imageHash);
  return certificate(row, { imageHash });
}

async function drawnImageHash(row: GalleryRow): Promise<string> {
  return (JSON.parse((await verify(row, certificate(row))).stdout) as { readonly imageHash: string }).imageHash;
}

describe('cer render --verify', () => {
  it.each(ROWS.map((row) => [row.name, row] as const))(
    'draws the certified picture of %s again',
    async (_name, row) => {
      const { exitCode, stdout, stderr } = await verify(row, await drawnCertificate(row));
      const said = JSON.parse(stdout) as { readonly status: string; readonly frameHashes?: readonly string[] };
      expect([said.status, exitCode, stderr]).toEqual(['SAME_PICTURE', 0, '']);
      expect(said.frameHashes?.length).toBe(row.totalFrames);
    },
  );

  it('shows the frames that are drawn', async () => {
    const row = rowOf('standard-map');
    const path = certificate(row, { execution: { mode: 'loop', totalFrames: 2, fps: 30 } });
    const { stderr } = await cer(['render', '--verify', path, '--code', sketchOf(row)], { isTerminal: true });
    expect(stderr).toContain('of 2 frames');
  });

  it.each(['outputHash', 'imageHash'])('reports another picture for a certified %s of something else', async (name) => {
    const row = rowOf('variables');
    const path = await drawnCertificate(row);
    const { snapshot } = JSON.parse(readFileSync(path, 'utf8')) as { readonly snapshot: JsonObject };
    const { imageHash = '', outputHash = '' } = snapshot;
    const said = await verify(row, certificate(row, { imageHash, outputHash, [name]: sha256('another') }));
    expect(said.exitCode).toBe(1);
    expect(JSON.parse(said.stderr)).toMatchObject({ status: 'FAILED', reason: 'OUTPUT_HASH_MISMATCH', outputHash });
  });

  it('reads the certificate that a picture carries, and compares the picture too', async () => {
    const code = 'function draw() { background(255); }';
    const pixels = new Uint8Array(4 * CANVAS_WIDTH * CANVAS_HEIGHT).fill(255);
    const white = pngEncoder((await readPngModule()).toString('base64'))(pixels, CANVAS_WIDTH, CANVAS_HEIGHT);
    const row = rowOf('variables');
    const members = { codeHash: sha256(code), outputHash: sha256(pixels), imageHash: sha256(white) };
    const bundle = JSON.parse(readFileSync(certificate(row, members), 'utf8')) as JsonObject;
    const sketch = folder.write('white.js', code);
    const judge = (png: Uint8Array): Promise<Said> =>
      cer(['render', '--verify', folder.write('white.png', png), '--code', sketch, '--json']);
    const same = await judge(embedCertificate(white, bundle));
    expect([same.stderr, same.exitCode]).toEqual(['', 0]);
    expect(JSON.parse(same.stdout)).toMatchObject({ status: 'SAME_PICTURE', outputHash: sha256(pixels) });
    const another = await judge(embedCertificate(greyPng(120), bundle));
    expect([another.stdout, another.exitCode]).toEqual(['', 1]);
    expect(JSON.parse(another.stderr)).toMatchObject({
      reason: 'OUTPUT_HASH_MISMATCH',
      detail: expect.stringContaining('another picture'),
    });
    const none = await judge(white);
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('carries no certificate')]);
  });

  it('fails for a changed certificate and draws nothing', async () => {
    const row = rowOf('variables');
    const path = certificate(row);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"seed":"', '"seed":"x'));
    const said = await verify(row, path);
    expect([said.exitCode, said.stdout]).toEqual([1, '']);
    expect(JSON.parse(said.stderr)).toMatchObject({ reason: 'CERTIFICATE_HASH_MISMATCH' });
  });

  it('fails for another sketch than the certified one', async () => {
    const said = await verify(rowOf('tree'), certificate(rowOf('variables')));
    expect(said.exitCode).toBe(1);
    expect(JSON.parse(said.stderr)).toMatchObject({ reason: 'INPUT_HASH_MISMATCH' });
  });

  it.each([
    ['another version', { version: '0.0.1' }, 'engine.version is another one'],
    ['another Math', { mathHash: sha256('x') }, 'engine.mathHash is another one'],
    ['other fonts', { fontsHash: sha256('x') }, 'engine.fontsHash is another one'],
    ['another Skia', { wasmHash: sha256('x') }, 'the installed Skia module is another one'],
    ['a hash that names a path', { wasmHash: 'sha256:../../etc/passwd' }, 'engine.wasmHash is not a hash'],
    ["a browser's own canvas", { name: 'chromium-native' }, 'bound to its machine'],
  ])('cannot judge what an engine of %s drew', async (_name, change, why) => {
    const row = rowOf('variables');
    const said = await verify(row, certificate(row, { engine: { ...engine, ...change } }));
    expect(said.exitCode).toBe(4);
    expect(JSON.parse(said.stderr)).toMatchObject({ status: 'CANNOT_BE_JUDGED', why: expect.stringContaining(why) });
  });

  it('loads Skia from a folder only with the certified hash', async () => {
    const row = rowOf('variables');
    const engines = folder.file('engines');
    mkdirSync(engines, { recursive: true });
    // A custom section changes the module's bytes, and not its results.
    const installed = await readSkia();
    const older = Buffer.concat([installed, Buffer.from([0, 2, 1, 0x78])]);
    const hex = createHash('sha256').update(older).digest('hex');
    const { imageHash = '' } = (
      JSON.parse(readFileSync(await drawnCertificate(row), 'utf8')) as { readonly snapshot: JsonObject }
    ).snapshot;
    const path = certificate(row, { imageHash, engine: { ...engine, wasmHash: `sha256:${hex}` } });
    const judged = (): Promise<Said> => verify(row, path, '--engine-folder', engines);
    expect((await judged()).stderr).toContain(`has no ${hex}.wasm`);
    writeFileSync(join(engines, `${hex}.wasm`), installed);
    expect((await judged()).stderr).toContain('has another hash');
    writeFileSync(join(engines, `${hex}.wasm`), older);
    expect((await judged()).exitCode).toBe(0);
  });

  it('cannot judge a sketch that does not finish', async () => {
    const row = rowOf('de-jong');
    const said = await verify(row, certificate(row), '--max-memory', '150');
    expect([said.exitCode, said.stderr]).toEqual([4, expect.stringContaining('--max-memory')]);
  });

  it.each([
    [['render', 'FILE', '--code', 'x.js'], '--verify is missing'],
    [['render', '--verify', 'FILE'], '--code is missing'],
    [['render', '--verify', 'FILE', '--code', 'x.js', '--timeout', '0'], '--timeout'],
  ])('explains a wrong call: %j', async (argv, why) => {
    const said = await cer(argv);
    expect([said.exitCode, said.stderr]).toEqual([3, expect.stringContaining(why)]);
  });
});
