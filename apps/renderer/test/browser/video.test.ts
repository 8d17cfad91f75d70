import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { macOf, startRenderer, TOKEN, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';

/** Replaces ffmpeg: notes the name of its output file and writes its input there, or fails. */
const STAND_IN =
  '#!/bin/sh\nfor last; do :; done\necho "$last" >> "${0%/*}/outputs"\ncase "$*" in *webm*) exit 1;; esac\n/bin/cat > "$last"\n';

describeWithBrowser('A loop as video', () => {
  let renderer: RendererUnderTest;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
    const ffmpeg = join(folder, 'ffmpeg');
    writeFileSync(ffmpeg, STAND_IN);
    chmodSync(ffmpeg, 0o755);
    renderer = await startRenderer({ FFMPEG_PATH: ffmpeg });
  });
  afterAll(async () => {
    await renderer.close();
    rmSync(folder, { recursive: true });
  });

  const ask = async (accept: string, code: string, engine = 'portable') => {
    const body = JSON.stringify({ tenantId: 't', code, totalFrames: 4, engine });
    const response = await fetch(`${renderer.url}/loop`, {
      method: 'POST',
      headers: {
        accept,
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'x-render-nonce': 'nonce-of-a-test-0123456789',
      },
      body,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('x-render-mac')).toBe(macOf(Buffer.from(body), bytes));
    return { status: response.status, type: response.headers.get('content-type'), bytes };
  };
  /** The files of the videos so far. */
  const outputs = (): string[] => readFileSync(join(folder, 'outputs'), 'utf8').trim().split('\n');
  /** The folders of the videos so far that are still there. */
  const leftovers = (): string[] =>
    outputs()
      .map(dirname)
      .filter((place) => existsSync(place));

  it('passes every frame to ffmpeg and its file to the client', async () => {
    const { status, type, bytes } = await ask('video/mp4', 'function draw() { background(frameCount * 60); }');
    expect([status, type]).toEqual([200, 'video/mp4']);
    const starts = [...bytes.toString('latin1').matchAll(/\xff\xd8\xff/g)];
    expect(starts.length).toBe(4);
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['Video/MP4;q=0.5', 'video/mp4'],
    ['video/mp4;q=0, application/json', 'application/json; charset=utf-8'],
    ['video/mp4-fragment', 'application/json; charset=utf-8'],
    ['text/event-stream;q=0', 'application/json; charset=utf-8'],
  ])('reads Accept by its rules: %s', async (accept, type) => {
    expect((await ask(accept, 'function draw() { background(1); }')).type).toBe(type);
  });

  it.each(['portable', 'chromium-native'])('shows what is transparent on black, drawn by %s', async (engine) => {
    const video = async (drawing: string): Promise<Buffer> => {
      const { bytes } = await ask('video/mp4', `function draw() { ${drawing} }`, engine);
      return bytes;
    };
    const onBlack = await video('background(100, 50, 25);');
    expect(onBlack.length).toBeGreaterThan(1000);
    expect((await video("background('rgba(200, 100, 50, 0.5)');")).equals(onBlack)).toBe(true);
  });

  it('starts no ffmpeg for a request that is refused', async () => {
    const before = outputs().length;
    const code = 'function draw() { background(1); }';
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask('video/mp4', code)));
    const drawn = answers.filter(({ status }) => status === 200).length;
    expect(drawn).toBeLessThan(answers.length);
    expect(outputs().length - before).toBe(drawn);
  });

  it('leaves no file when the sketch or ffmpeg fails', async () => {
    expect((await ask('video/mp4', 'function draw() { if (frameCount === 2) nothing(); }')).status).toBe(422);
    expect((await ask('video/webm', 'function draw() { background(1); }')).status).toBe(500);
    expect(leftovers()).toEqual([]);
  });
});
