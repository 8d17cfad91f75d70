import { sha256, type Sha256Hash } from '@cer/cer-core';
import { isPng } from '@cer/cer-core/picture';
import * as z from 'zod';
import { renderFailure } from '../errors.js';
import { HexDigest } from '../hex-digest.js';
import { CANVAS_HEIGHT, CANVAS_WIDTH } from '@cer/sketch-engine/render-rules';
import { loadSketch, readAnswer, STILL, type Sketch } from '../sandbox/sketch.js';
import type { JobPage } from '../sandbox/sketch-job.js';

/** One picture. */
export interface Still {
  readonly png: Buffer;
  /** SHA-256 of the PNG's bytes. */
  readonly runtimeHash: Sha256Hash;
  /** SHA-256 of the raw RGBA bytes, rows from the top. */
  readonly pixelHash: Sha256Hash;
}

const MAX_PNG_CHARACTERS = 88 * 1024 * 1024;
const Reading = z.object({ pixelHash: HexDigest, pngBase64: z.string().max(MAX_PNG_CHARACTERS) });

/**
 * Renders a still: the sketch's top level, `setup()`, and `draw()` once when it has one.
 * @throws ServiceError RENDER_ERROR, PROTOCOL_VIOLATION
 */
export async function renderStill(page: JobPage, sketch: Sketch): Promise<Still> {
  const defines = await loadSketch(page, sketch, STILL);
  if (!defines.setup && !defines.draw)
    throw renderFailure('RENDER_ERROR', 'the sketch defines neither setup() nor draw()');
  const { pixelHash, pngBase64 } = readAnswer(Reading, await page.call('still', []));
  const png = decodePng(pngBase64);
  return { png, runtimeHash: sha256(png), pixelHash: `sha256:${pixelHash}` };
}

/** @throws ServiceError RENDER_ERROR unless it is a PNG of the canvas's size */
export function decodePng(base64: string): Buffer {
  const png = Buffer.from(base64, 'base64');
  const sized = png.length > 24 && png.readUInt32BE(16) === CANVAS_WIDTH && png.readUInt32BE(20) === CANVAS_HEIGHT;
  if (!sized || !isPng(png)) throw renderFailure('RENDER_ERROR', "the sketch's page gave no picture");
  return png;
}
