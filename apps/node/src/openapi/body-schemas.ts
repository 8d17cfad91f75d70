import { PROTOCOLS } from '@cer/cer-core';
import { CANVAS } from '../render/sketch-rules.js';
import type { JsonSchema } from './route-description.js';

// Schemas of bodies that the core checks with its own rules. They describe the stable interface; docs/spec.md has the
// exact rules.

export const HASH: JsonSchema = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'SHA-256 in lower-case hex.',
};

const TEXT: JsonSchema = { type: 'string' };
const TIME: JsonSchema = { type: ['string', 'null'], description: 'RFC 3339 with an offset; null means absent.' };
const VALUE: JsonSchema = { type: ['string', 'object', 'array'] };
const OPTIONAL_TEXT: JsonSchema = { type: ['string', 'null'] };

/** @see docs/spec.md, "Describing an execution" */
export const EXECUTION_REQUEST: JsonSchema = {
  type: 'object',
  required: ['provider', 'model'],
  properties: {
    provider: TEXT,
    model: TEXT,
    input: VALUE,
    inputHash: HASH,
    output: VALUE,
    outputHash: HASH,
    prompt: { type: 'string', description: 'Required under 1.3.1 and bound in clear; dropped under 1.2.0 and 1.3.0.' },
    executionId: { ...OPTIONAL_TEXT, description: 'Makes the request idempotent; absent, a random UUID is taken.' },
    protocolVersion: { enum: [...PROTOCOLS.keys(), null], description: 'Absent means 1.2.0.' },
    bundleType: { enum: ['cer.ai.execution.v1', 'cer.ai.execution.v2'] },
    parameters: {
      type: 'object',
      description: 'Under 1.3.1 exactly temperature, maxTokens, topP and seed, required.',
    },
    modelVersion: OPTIONAL_TEXT,
    appId: OPTIONAL_TEXT,
    metadata: { type: 'object', description: 'Echoed, not hashed.' },
    context: { type: 'object', properties: { signals: { type: 'array' } } },
    signals: { type: 'array', description: 'Not beside context.' },
    createdAt: TIME,
    timestamp: TIME,
  },
  description:
    'Exactly one of input and inputHash, and one of output and outputHash; under 1.3.1 input and output. ' +
    'Unknown members are dropped.',
  examples: [
    {
      executionId: 'order-4711',
      provider: 'example',
      model: 'example-1',
      input: 'What is a receipt?',
      output: 'A signed statement.',
      parameters: { temperature: 0 },
    },
  ],
};

/** A bundle's members depend on its type; its type and hash are always there. */
const BUNDLE: JsonSchema = {
  type: 'object',
  required: ['bundleType', 'certificateHash'],
  properties: { bundleType: TEXT, certificateHash: HASH },
};

/** @see docs/spec.md, "POST /api/attest" */
export const ATTEST_REQUEST: JsonSchema = {
  description: 'A bundle, a package, or {bundle}.',
  anyOf: [BUNDLE, { type: 'object', required: ['cer'] }, { type: 'object', required: ['bundle'] }],
};

/** @see docs/spec.md, "POST /v1/cer/verify" */
export const VERIFY_REQUEST: JsonSchema = {
  type: 'object',
  required: ['bundle'],
  properties: { bundle: { type: 'object', description: 'A bundle or a package.' } },
};

/** @see docs/spec.md, "POST /v1/project-bundle/register" */
export const REGISTER_REQUEST: JsonSchema = { type: 'object', description: 'A project bundle, or {bundle}.' };

export const PROJECT_VERIFY_REQUEST: JsonSchema = {
  type: 'object',
  required: ['bundle'],
  properties: { bundle: { type: 'object', description: 'A project bundle.' } },
};

const VARS: JsonSchema = { type: 'array', maxItems: 10, items: { type: 'number', minimum: 0, maximum: 100 } };
const CODE: JsonSchema = { type: 'string', minLength: 1 };
const RENDER_PROTOCOL: JsonSchema = { enum: ['1.2.0', '1.3.0', null] };

/** @see docs/spec.md, "POST /api/render" */
export const IMAGE_REQUEST: JsonSchema = {
  type: 'object',
  required: ['code'],
  properties: {
    code: CODE,
    seed: TEXT,
    VAR: VARS,
    width: { const: CANVAS.width },
    height: { const: CANVAS.height },
    protocolVersion: RENDER_PROTOCOL,
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
      required: ['code'],
      properties: {
        code: CODE,
        seed: TEXT,
        vars: VARS,
        protocolVersion: RENDER_PROTOCOL,
        execution: {
          type: 'object',
          properties: {
            mode: { enum: ['static', 'loop'] },
            totalFrames: { type: 'integer', minimum: 2 },
            fps: { type: 'number', minimum: 1, maximum: 240 },
          },
        },
      },
    },
    executionId: OPTIONAL_TEXT,
    expectedHash: HASH,
    expectedAnimationHash: HASH,
    expectedPosterHash: HASH,
  },
};

/** @see docs/spec.md, "Key set statement" */
export const KEY_HISTORY_REQUEST: JsonSchema = {
  type: 'object',
  description: 'A key history whose newest statement the root key signed.',
};
