import { CANVAS } from './sketch-rules.js';
import { COUNT, TEXT, TIME, object, oneOf, shape } from '../openapi/answer-shapes.js';
import { OPTIONAL_HASH, OPTIONAL_TEXT } from '../openapi/body-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

const VARS: JsonSchema = { type: 'array', maxItems: 10, items: { type: 'number', minimum: 0, maximum: 100 } };

const CODE: JsonSchema = { type: 'string', minLength: 1 };

const RENDER_PROTOCOL: JsonSchema = { enum: ['1.2.0', '1.3.0', null] };

const ENGINE_NAME: JsonSchema = { enum: ['portable', 'chromium-native'] };

/** The engine that drew. @see docs/spec.md, "Engines" */
const ENGINE: JsonSchema = object(
  { name: ENGINE_NAME },
  {
    version: TEXT,
    wasmHash: shape('Hash'),
    mathHash: shape('Hash'),
    fontsHash: shape('Hash'),
    boundTo: oneOf('machine'),
  },
);
const ENGINE_REQUEST: JsonSchema = {
  anyOf: [ENGINE_NAME, { type: 'object', required: ['name'], properties: { name: ENGINE_NAME } }, { type: 'null' }],
};

/** @see docs/spec.md, "POST /api/render" */
export const IMAGE_REQUEST: JsonSchema = {
  type: 'object',
  required: ['code', 'seed', 'VAR'],
  properties: {
    code: CODE,
    seed: TEXT,
    VAR: VARS,
    engine: ENGINE_REQUEST,
    width: { enum: [CANVAS.width, null] },
    height: { enum: [CANVAS.height, null] },
    protocolVersion: RENDER_PROTOCOL,
    certify: { type: ['boolean', 'null'] },
    executionId: OPTIONAL_TEXT,
  },
  dependentRequired: { width: ['height'], height: ['width'] },
  examples: [{ code: 'function setup() { background(20, 40, 80); }', seed: 'tour', VAR: [10] }],
};

/** @see docs/spec.md, "POST /verify" */
export const RENDER_VERIFY_REQUEST: JsonSchema = {
  type: 'object',
  required: ['snapshot'],
  properties: {
    snapshot: {
      type: 'object',
      required: ['code', 'seed', 'vars'],
      properties: {
        code: CODE,
        seed: TEXT,
        vars: VARS,
        engine: ENGINE_REQUEST,
        rendererVersion: OPTIONAL_TEXT,
        protocolVersion: RENDER_PROTOCOL,
        execution: {
          type: ['object', 'null'],
          properties: {
            mode: { enum: ['static', 'loop', null] },
            totalFrames: { type: ['integer', 'null'], minimum: 2 },
            fps: { type: ['number', 'null'], minimum: 1, maximum: 240 },
          },
        },
      },
    },
    executionId: OPTIONAL_TEXT,
    expectedHash: OPTIONAL_HASH,
    expectedAnimationHash: OPTIONAL_HASH,
    expectedPosterHash: OPTIONAL_HASH,
  },
};

/** Where the render was certified. */
const CERTIFIED = { certificateHash: shape('Hash'), verificationUrl: TEXT, cer: shape('Bundle') };

const PICTURE_SIZE = { width: COUNT, height: COUNT };

/** @see docs/spec.md, "POST /api/render" */
export const IMAGE_ANSWER: JsonSchema = object(
  {
    pngBase64: TEXT,
    runtimeHash: shape('Hash'),
    pixelHash: shape('Hash'),
    ...PICTURE_SIZE,
    sdkVersion: TEXT,
    rendererVersion: TEXT,
    engine: ENGINE,
    protocolVersion: TEXT,
    executionTimeMs: { type: 'number' },
  },
  CERTIFIED,
);

/** @see docs/spec.md, "POST /verify" */
export const RENDER_VERIFIED_ANSWER: JsonSchema = object(
  {
    verified: { type: 'boolean' },
    mode: oneOf('static', 'loop'),
    hashMatchType: oneOf('png', 'pixels', null),
    protocolCompliant: { type: 'boolean' },
    metadata: object(
      {
        sdkVersion: TEXT,
        protocolVersion: TEXT,
        rendererVersion: TEXT,
        engine: ENGINE,
        executionTimeMs: { type: 'number' },
        timestamp: TIME,
      },
      { frames: COUNT, fps: { type: 'number' } },
    ),
  },
  {
    computedHash: shape('Hash'),
    computedPixelHash: shape('Hash'),
    expectedHash: shape('Hash'),
    computedAnimationHash: shape('Hash'),
    computedPosterHash: shape('Hash'),
    expectedAnimationHash: shape('Hash'),
    expectedPosterHash: shape('Hash'),
    animationVerified: { type: 'boolean' },
    posterVerified: { type: 'boolean' },
    ...CERTIFIED,
  },
);

/** Refusals of every route that renders. */
export const RENDERING = [
  'LOOP_MODE_ERROR',
  'PROTOCOL_VIOLATION',
  'RENDER_ERROR',
  'RENDER_TIMEOUT',
  'RENDER_MEMORY_LIMIT',
  'RENDERER_UNAVAILABLE',
] as const;
