import { BUNDLE } from '../openapi/body-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

/** @see docs/spec.md, "POST /api/attest" */
export const ATTEST_REQUEST: JsonSchema = {
  description: 'A bundle, a package, or {bundle}.',
  anyOf: [BUNDLE, { type: 'object', required: ['cer'] }, { type: 'object', required: ['bundle'] }],
};
