import {
  COUNT,
  HASH_OR_NULL,
  OK,
  SIGNATURE,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  free,
  list,
  object,
  oneOf,
  shape,
} from '../openapi/answer-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

/** @see docs/spec.md, "POST /v1/project-bundle/register" */
export const REGISTER_REQUEST: JsonSchema = { type: 'object', description: 'A project bundle, or {bundle}.' };

export const PROJECT_VERIFY_REQUEST: JsonSchema = {
  type: 'object',
  description: 'A project bundle, or {bundle}.',
  properties: { bundle: { type: 'object', description: 'A project bundle.' } },
};

const REGISTRATION = {
  ok: OK,
  projectHash: shape('Hash'),
  registeredAt: TIME,
  totalSteps: COUNT,
  receipt: shape('ProjectReceipt'),
  signature: SIGNATURE,
  kid: TEXT,
  verificationUrl: TEXT,
};

/** @see docs/spec.md, "POST /v1/project-bundle/register" */
export const REGISTERED_ANSWER: JsonSchema = object(REGISTRATION);

/** @see docs/spec.md, "POST /v1/project-bundle/verify" */
export const PROJECT_VERIFIED_ANSWER: JsonSchema = object({
  ok: { type: 'boolean' },
  code: TEXT,
  errors: list(TEXT),
  projectHash: object({ submitted: TEXT_OR_NULL, computed: HASH_OR_NULL, valid: { type: 'boolean' } }),
  structuralValid: { type: 'boolean' },
  totalSteps: COUNT,
  passedSteps: COUNT,
  failedSteps: COUNT,
  attestedSteps: COUNT,
  steps: list(
    object({
      stepId: TEXT,
      sequence: { type: ['integer', 'null'] },
      executionId: TEXT_OR_NULL,
      certificateHash: TEXT_OR_NULL,
      ok: { type: 'boolean' },
      status: oneOf('VERIFIED', 'VERIFIED_CONFIDENTIAL', 'FAILED', 'WITHDRAWN'),
      code: TEXT,
      errors: list(TEXT),
    }),
  ),
  nodeReceipt: oneOf('PASS', 'FAIL', 'SKIPPED'),
});

/** @see docs/spec.md, "GET /v1/project-bundle/public" */
export const PUBLIC_PROJECT_ANSWER: JsonSchema = {
  ...object(
    {
      ...REGISTRATION,
      bundleType: TEXT,
      stepRegistry: list(free('stepId and certificateHash are always there.')),
      integrity: object({ algorithm: { const: 'sha256-canonical-json' }, projectHash: shape('Hash') }),
      embeddedBundles: { type: 'object', additionalProperties: shape('Bundle'), description: 'By stepId.' },
      meta: object({
        attestation: object({ receipt: shape('ProjectReceipt'), signature: SIGNATURE, kid: TEXT }),
      }),
    },
    { withdrawn: { ...list(TEXT), description: 'Steps that are hidden or deleted since.' } },
  ),
  additionalProperties: true,
  description: 'Besides these, the members of the project that its hash covers.',
};
