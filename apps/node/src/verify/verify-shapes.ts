import { HASH_OR_NULL, TEXT, TIME, free, object, oneOf } from '../openapi/answer-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

/** @see docs/spec.md, "POST /v1/cer/verify" */
export const VERIFY_REQUEST: JsonSchema = {
  type: 'object',
  description: 'A bundle, a package, or either as {bundle}.',
  properties: { bundle: { type: 'object', description: 'A bundle or a package.' } },
};

const CHECK = oneOf('pass', 'fail', 'skipped');

/** @see docs/spec.md, "POST /v1/cer/verify" */
export const VERIFIED_ANSWER: JsonSchema = {
  ...object(
    {
      status: oneOf('verified', 'failed'),
      reasonCode: TEXT,
      checks: object({
        structure: CHECK,
        certificateHash: CHECK,
        inputHash: CHECK,
        outputHash: CHECK,
        signature: CHECK,
      }),
      computedCertificateHash: HASH_OR_NULL,
      classification: oneOf('VERIFIED', 'LEGACY_VERIFIED', 'UNVERIFIABLE', 'FAILED'),
      timestamp: {
        anyOf: [
          object(
            { type: oneOf('rfc3161', 'node-issued'), status: oneOf('verified', 'invalid', 'untrusted', 'not-checked') },
            { covers: oneOf('receipt', 'content'), provider: TEXT, genTime: TIME, detail: TEXT },
          ),
          { type: 'null' },
        ],
      },
    },
    {
      contentMode: { const: 'HASH_BOUND' },
      keyRescue: free('Which timestamp proves a signature older than the revocation of its key.'),
      revocationsKnownUntil: TIME,
    },
  ),
  examples: [
    {
      status: 'verified',
      reasonCode: 'OK',
      checks: { structure: 'pass', certificateHash: 'pass', inputHash: 'pass', outputHash: 'pass', signature: 'pass' },
      computedCertificateHash: `sha256:${'ab'.repeat(32)}`,
      classification: 'VERIFIED',
      timestamp: { type: 'node-issued', status: 'verified' },
    },
  ],
};
