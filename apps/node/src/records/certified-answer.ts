import {
  LOG_PROOFS,
  OK,
  SIGNATURE,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
  free,
  list,
  object,
  shape,
} from '../openapi/answer-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

const ENVELOPE: JsonSchema = {
  ...free('The verification envelope; null for an attestation of a hash alone.'),
  type: ['object', 'null'],
};

const SALT = object({ salt: TEXT });

/** @see docs/spec.md, "Certify response" */
const CERTIFIED_ANSWER: JsonSchema = object(
  {
    ok: OK,
    cer: shape('Bundle'),
    certificateHash: shape('Hash'),
    bundleType: TEXT,
    createdAt: TIME_OR_NULL,
    attestationId: TEXT,
    nodeRuntimeHash: shape('Hash'),
    protocolVersion: TEXT_OR_NULL,
    issuedAt: TIME,
    kid: TEXT,
    attestorKeyId: TEXT,
    attestation: shape('AttestationSummary'),
    receipt: shape('Receipt'),
    signature: SIGNATURE,
    signatureB64Url: SIGNATURE,
    verificationEnvelope: ENVELOPE,
    verificationEnvelopeSignature: TEXT_OR_NULL,
    timestamp: { anyOf: [shape('Timestamp'), { type: 'null' }] },
    verificationUrl: TEXT,
    requestId: TEXT,
  },
  {
    openings: { ...object({ input: SALT, output: SALT }), description: 'Under 1.3.1, to certify alone.' },
    warnings: list(TEXT),
    ...LOG_PROOFS,
  },
);

export const CERTIFIED = {
  200: { schema: CERTIFIED_ANSWER, description: 'The certified bundle, its receipt and its signature.' },
} as const;
