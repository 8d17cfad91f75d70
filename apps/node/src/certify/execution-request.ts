import { PROTOCOLS } from '@cer/cer-core';
import { TEXT } from '../openapi/answer-shapes.js';
import { OPTIONAL_HASH, OPTIONAL_TEXT, OPTIONAL_TIME } from '../openapi/body-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

const OPTIONAL_OBJECT: JsonSchema = { type: ['object', 'null'] };
const VALUE: JsonSchema = { type: ['string', 'object', 'array', 'null'] };

/** @see docs/spec.md, "Describing an execution" */
export const EXECUTION_REQUEST: JsonSchema = {
  type: 'object',
  required: ['provider', 'model'],
  properties: {
    provider: TEXT,
    model: TEXT,
    input: VALUE,
    inputHash: OPTIONAL_HASH,
    output: VALUE,
    outputHash: OPTIONAL_HASH,
    prompt: {
      ...OPTIONAL_TEXT,
      description: 'Required under 1.3.1 and bound in clear; dropped under 1.2.0 and 1.3.0.',
    },
    executionId: { ...OPTIONAL_TEXT, description: 'Makes the request idempotent; absent, a random UUID is taken.' },
    protocolVersion: { enum: [...PROTOCOLS.keys(), null], description: 'Absent means 1.2.0.' },
    bundleType: { enum: ['cer.ai.execution.v1', 'cer.ai.execution.v2', null] },
    parameters: {
      ...OPTIONAL_OBJECT,
      description: 'Under 1.3.1 exactly temperature, maxTokens, topP and seed, required.',
    },
    modelVersion: OPTIONAL_TEXT,
    appId: OPTIONAL_TEXT,
    metadata: { ...OPTIONAL_OBJECT, description: 'Echoed, not hashed.' },
    context: { ...OPTIONAL_OBJECT, properties: { signals: { type: 'array' } } },
    signals: { type: ['array', 'null'], description: 'Not beside context.' },
    createdAt: OPTIONAL_TIME,
    timestamp: OPTIONAL_TIME,
  },
  description:
    'Exactly one of input and inputHash, and one of output and outputHash; under 1.3.1 input and output. ' +
    'A member that is null is absent. Unknown members are dropped.',
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
