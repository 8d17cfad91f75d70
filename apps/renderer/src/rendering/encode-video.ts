import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderFailure } from '../errors.js';

/** Maximum size of a video: the node takes no larger answer. Noise compresses badly, and the disk is shared. */
const MAX_VIDEO_BYTES = 256 * 1024 * 1024;

export type VideoType = 'video/mp4' | 'video/webm';

/** Both sides are even: codecs require it. */
const SCALE = 'scale=trunc(iw/2)*2:trunc(ih/2)*2';
const CODECS: Readonly<Record<VideoType, readonly string[]>> = {
  'video/mp4': '-c:v libx264 -preset veryfast -crf 18 -pix_fmt yuv420p -movflags +faststart -f mp4'.split(' '),
  'video/webm': '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -row-mt 1 -crf 24 -b:v 0 -f webm'.split(' '),
};

/** ffmpeg ended without a video. */
export class VideoError extends Error {
  override readonly name = 'VideoError';
}

/** Turns JPEG frames into a file. */
export interface VideoEncoder {
  /** Settles when ffmpeg accepts more input. @throws VideoError; ServiceError RENDER_ERROR for a file over its limit */
  add(jpeg: Buffer): Promise<void>;
  /** @returns the finished file's bytes. @throws as `add` */
  finish(): Promise<Buffer>;
  /** Ends ffmpeg and removes the file. */
  discard(): Promise<void>;
}

/** The ffmpeg to use, or `undefined` where none is installed. */
export function findFfmpeg(configured: string | undefined): string | undefined {
  return [configured, '/usr/bin/ffmpeg', '/usr/local/bin/ffmpeg', '/opt/homebrew/bin/ffmpeg'].find((path) => {
    try {
      if (path !== undefined) accessSync(path, constants.X_OK);
      return path !== undefined;
    } catch {
      return false;
    }
  });
}

/** Starts ffmpeg; it reads only JPEGs that this service's own reader made, and its environment is empty. */
export async function startVideo(
  ffmpeg: string,
  type: VideoType,
  fps: number,
  maxBytes = MAX_VIDEO_BYTES,
): Promise<VideoEncoder> {
  const folder = await mkdtemp(join(tmpdir(), 'cer-video-'));
  const path = join(folder, 'loop');
  const input = ['-f', 'image2pipe', '-framerate', String(fps), '-c:v', 'mjpeg', '-i', 'pipe:0'];
  const args = ['-hide_banner', '-loglevel', 'error', '-nostdin', ...input, '-vf', SCALE, ...CODECS[type], path];
  const child = spawn(ffmpeg, args, { stdio: ['pipe', 'ignore', 'ignore'], env: {} });
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => {
      resolve(-1);
    });
    child.once('close', (code) => {
      resolve(code ?? -1);
    });
  });
  // A broken pipe is reported by the exit code.
  child.stdin.on('error', () => undefined);
  const assertSmall = async (): Promise<void> => {
    // ffmpeg makes the file some time after its start.
    const size = await stat(path).then(
      (file) => file.size,
      () => 0,
    );
    if (size > maxBytes) throw renderFailure('RENDER_ERROR', `the video has more than ${maxBytes} bytes`);
  };
  return {
    async add(jpeg) {
      if (child.exitCode !== null || child.stdin.destroyed) throw new VideoError('ffmpeg ended early');
      await assertSmall();
      if (!child.stdin.write(jpeg)) await Promise.race([once(child.stdin, 'drain'), ended]);
    },
    async finish() {
      child.stdin.end();
      if ((await ended) !== 0) throw new VideoError('ffmpeg made no video');
      await assertSmall();
      return readFile(path);
    },
    async discard() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
