import { afterAll, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVideo } from './encode-video.js';

const folder = mkdtempSync(join(tmpdir(), 'cer-encode-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const MAX_BYTES = 1000;
/** More than a pipe holds: it is taken only once the program reads. */
const LARGE_PICTURE = Buffer.alloc(1024 * 1024);

/** A program in place of ffmpeg. @param work gets the name of the output file as `$last` */
function standIn(name: string, work: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\nfor last; do :; done\n${work}\n`);
  chmodSync(path, 0o755);
  return path;
}

it('A video that grows over its limit is refused while it is made', async () => {
  const ffmpeg = standIn('grows', 'exec /bin/cat > "$last"');
  const video = await startVideo(ffmpeg, 'video/mp4', 30, MAX_BYTES);
  try {
    await video.add(LARGE_PICTURE);
    await expect(video.add(LARGE_PICTURE)).rejects.toMatchObject({
      code: 'RENDER_ERROR',
      message: 'the video has more than 1000 bytes',
    });
  } finally {
    await video.discard();
  }
});

it('A finished video over its limit is not read', async () => {
  const ffmpeg = standIn('ends', 'exec /bin/cat > "$last"');
  const sizes = [MAX_BYTES, MAX_BYTES + 1].map(async (size) => {
    const video = await startVideo(ffmpeg, 'video/webm', 30, MAX_BYTES);
    try {
      await video.add(Buffer.alloc(size));
      return (await video.finish()).length;
    } catch (error) {
      return error instanceof Error ? error.message : 'no error';
    } finally {
      await video.discard();
    }
  });
  expect(await Promise.all(sizes)).toEqual([MAX_BYTES, 'the video has more than 1000 bytes']);
});
