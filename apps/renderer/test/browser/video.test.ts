import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { macOf, startRenderer, TOKEN, type RendererUnderTest } from '../renderer-under-test.js';
import { describeWithBrowser } from '../with-browser.js';

/** Stands where ffmpeg would: writes what it is given to the file it is told, or fails. */
const STAND_IN = '#!/bin/sh\nfor last; do :; done\ncase "$*" in *webm*) exit 1;; esac\n/bin/cat > "$last"\n';

describeWithBrowser('A loop as video', () => {
  let renderer: RendererUnderTest;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
    const ffmpeg = join(folder, 'ffmpeg');
    writeFileSync(ffmpeg, STAND_IN);
    chmodSync(ffmpeg, 0o755);
    renderer = await startRenderer({ FFMPEG_PATH: ffmpeg });
  }, 60_000);
  afterAll(async () => {
    await renderer.close();
    rmSync(folder, { recursive: true });
  });

  const ask = async (accept: string, code: string) => {
    const body = JSON.stringify({ tenantId: 't', code, totalFrames: 4 });
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
  const leftovers = (): number => readdirSync(tmpdir()).filter((name) => name.startsWith('cer-video-')).length;

  it('hands every frame to ffmpeg in order, and its file to the client', async () => {
    const before = leftovers();
    const { status, type, bytes } = await ask('video/mp4', 'function draw() { background(frameCount * 60); }');
    expect([status, type]).toEqual([200, 'video/mp4']);
    const starts = [...bytes.toString('latin1').matchAll(/\xff\xd8\xff/g)];
    expect(starts.length).toBe(4);
    expect(leftovers()).toBe(before);
  });

  it('ends with the fault of the sketch, or 500 when ffmpeg fails, and leaves no file', async () => {
    const before = leftovers();
    expect((await ask('video/mp4', 'function draw() { if (frameCount === 2) nothing(); }')).status).toBe(422);
    expect((await ask('video/webm', 'function draw() { background(1); }')).status).toBe(500);
    expect(leftovers()).toBe(before);
  });
});
