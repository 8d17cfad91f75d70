import { sha256, type Sha256Hash } from '@cer/cer-core';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { renderFailure } from '../errors.js';
import { HexDigest } from '../hex-digest.js';
import { loadSketch, readAnswer, setUpSketch, type FramePlan, type Sketch } from '../sandbox/sketch.js';
import type { JobPage } from '../sandbox/sketch-job.js';
import { decodePng } from './render-still.js';

/** A rendered loop, as its hashes and its first frame. */
export interface Loop {
  /** SHA-256 over the concatenated frame hashes. */
  readonly animationHash: Sha256Hash;
  /** SHA-256 of the poster's PNG bytes. */
  readonly posterHash: Sha256Hash;
  /** The first frame as PNG. */
  readonly poster: Buffer;
  readonly frameHashes: readonly Sha256Hash[];
}

export interface LoopProgress {
  readonly framesDone: number;
  readonly totalFrames: number;
  readonly framesPerSecond: number;
  /** Seconds left at this rate. */
  readonly secondsLeft: number;
}

export interface LoopOptions {
  readonly onProgress?: (progress: LoopProgress) => void;
  /** Receives every frame as JPEG, in order; makes the loop slower. */
  readonly onPicture?: (jpeg: Buffer) => Promise<void>;
  /** Deadline of a single frame, in ms. */
  readonly frameDeadlineMs: number;
}

/** Approximate render time per call to the page, in ms: short enough for progress, long enough for speed. */
const BATCH_MS = 400;
const JPEG_QUALITY = 0.95;
const MAX_PICTURE_CHARACTERS = 88 * 1024 * 1024;

const Reading = z.object({
  drawn: z.number().int().nonnegative(),
  hashes: z.array(HexDigest),
  posterBase64: z.string().max(MAX_PICTURE_CHARACTERS).optional(),
  pictures: z.array(z.string().max(MAX_PICTURE_CHARACTERS)),
});

/**
 * Renders every frame of a loop: `setup()` once, then `draw()` per frame on an emptied canvas.
 * @throws ServiceError LOOP_MODE_ERROR without `draw()`; RENDER_ERROR, PROTOCOL_VIOLATION, RENDER_TIMEOUT
 */
export async function renderLoop(page: JobPage, sketch: Sketch, plan: FramePlan, options: LoopOptions): Promise<Loop> {
  await page.call('prepareFrames', []);
  const { draw } = await loadSketch(page, sketch, plan);
  if (!draw) throw renderFailure('LOOP_MODE_ERROR', 'loop mode needs draw()');
  await setUpSketch(page);

  const picture = options.onPicture === undefined ? null : { type: 'image/jpeg', quality: JPEG_QUALITY };
  const startedAt = performance.now();
  const hashes: string[] = [];
  let poster: Buffer | undefined;
  for (let drawn = 0; drawn < plan.totalFrames;) {
    const answer = await page.call('frames', [plan.totalFrames, BATCH_MS, picture], BATCH_MS + options.frameDeadlineMs);
    const reading = readAnswer(Reading, answer);
    if (reading.drawn <= drawn || reading.drawn > plan.totalFrames)
      throw renderFailure('RENDER_ERROR', "the sketch's page lost count");
    drawn = reading.drawn;
    hashes.push(...reading.hashes);
    if (reading.posterBase64 !== undefined) poster ??= decodePng(reading.posterBase64);
    for (const jpeg of reading.pictures) await options.onPicture?.(Buffer.from(jpeg, 'base64'));
    options.onProgress?.(progressOf(drawn, plan.totalFrames, performance.now() - startedAt));
  }
  if (poster === undefined || hashes.length !== plan.totalFrames)
    throw renderFailure('RENDER_ERROR', "the sketch's page lost count");
  const joined = createHash('sha256');
  for (const hash of hashes) joined.update(hash, 'hex');
  return {
    animationHash: `sha256:${joined.digest('hex')}`,
    posterHash: sha256(poster),
    poster,
    frameHashes: hashes.map((hash): Sha256Hash => `sha256:${hash}`),
  };
}

function progressOf(framesDone: number, totalFrames: number, elapsedMs: number): LoopProgress {
  const rate = (framesDone / elapsedMs) * 1000;
  return {
    framesDone,
    totalFrames,
    framesPerSecond: Math.round(rate * 10) / 10,
    secondsLeft: Math.round(((totalFrames - framesDone) / rate) * 10) / 10,
  };
}
