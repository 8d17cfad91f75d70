import { checkRequest, parseJsonBody, type ServiceRequest } from '@cer/http-service';
import * as z from 'zod';
import type { RendererConfig } from '../config.js';
import { renderFailure } from '../errors.js';
import { CANVAS_HEIGHT, CANVAS_WIDTH } from '@cer/sketch-engine/render-rules';
import type { RequestedEngine } from '../engine.js';
import { ENGINES } from '../sandbox/page-bundle.js';
import type { FramePlan, Sketch } from '../sandbox/sketch.js';

const MAX_VARS = 10;
const MAX_VAR = 100;
const MAX_SEED_CHARACTERS = 1024;
const MAX_FPS = 240;

/** Members of every request about a sketch. */
export interface SketchRequest {
  readonly tenantId: string;
  readonly sketch: Sketch;
  readonly engine: RequestedEngine;
}

/** The portable engine as a certificate names it; its availability is checked later. */
const NamedEngineShape = z.strictObject({
  name: z.literal('portable'),
  version: z.unknown(),
  wasmHash: z.unknown(),
  mathHash: z.unknown(),
  fontsHash: z.unknown(),
});

function sketchShape({ maxCodeBytes }: RendererConfig) {
  return {
    tenantId: z.string().min(1).max(256),
    code: z
      .string()
      .min(1)
      .refine((code) => Buffer.byteLength(code) <= maxCodeBytes, { error: `must have at most ${maxCodeBytes} bytes` }),
    seed: z.string().max(MAX_SEED_CHARACTERS).default('default'),
    engine: z.union([z.enum(ENGINES), NamedEngineShape]).default('portable'),
    vars: z.array(z.number().min(0).max(MAX_VAR)).max(MAX_VARS).default([]),
  };
}

type Shape = z.output<z.ZodObject<ReturnType<typeof sketchShape>>>;

function sketchRequest({ tenantId, code, seed, vars, engine }: Shape): SketchRequest {
  return { tenantId, engine, sketch: { code, seed, vars } };
}

/** @throws ServiceError VALIDATION_ERROR */
export function parseStill(
  request: ServiceRequest,
  config: RendererConfig,
): SketchRequest & { readonly twice: boolean } {
  const schema = z.strictObject({
    ...sketchShape(config),
    width: z.literal(CANVAS_WIDTH).optional(),
    height: z.literal(CANVAS_HEIGHT).optional(),
    twice: z.boolean().default(false),
  });
  const body = checkRequest(schema, parseJsonBody(request));
  return { ...sketchRequest(body), twice: body.twice };
}

/** @throws ServiceError VALIDATION_ERROR */
export function parseInspect(request: ServiceRequest, config: RendererConfig): SketchRequest {
  return sketchRequest(checkRequest(z.strictObject(sketchShape(config)), parseJsonBody(request)));
}

/** @throws ServiceError VALIDATION_ERROR; LOOP_MODE_ERROR for a number of frames out of range, of any type */
export function parseLoop(
  request: ServiceRequest,
  config: RendererConfig,
): SketchRequest & { readonly plan: FramePlan; readonly frameHashes: boolean } {
  const schema = z.strictObject({
    ...sketchShape(config),
    totalFrames: z.unknown().optional(),
    fps: z.number().min(1).max(MAX_FPS).default(30),
    frameHashes: z.boolean().default(false),
  });
  const { totalFrames, fps, frameHashes, ...body } = checkRequest(schema, parseJsonBody(request));
  const { maxTotalFrames } = config;
  if (
    typeof totalFrames !== 'number' ||
    !Number.isInteger(totalFrames) ||
    totalFrames < 2 ||
    totalFrames > maxTotalFrames
  ) {
    throw renderFailure('LOOP_MODE_ERROR', `totalFrames: must be an integer from 2 to ${maxTotalFrames}`);
  }
  return { ...sketchRequest(body), plan: { totalFrames, fps }, frameHashes };
}
