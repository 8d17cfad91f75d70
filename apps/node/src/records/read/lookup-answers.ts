import {
  HASH_OR_NULL,
  LOG_PROOFS,
  OK,
  SIGNATURE,
  TEXT,
  TEXT_OR_NULL,
  TIME_OR_NULL,
  list,
  object,
  oneOf,
  shape,
} from '../../openapi/answer-shapes.js';
import { HASH } from '../../openapi/body-shapes.js';
import type { JsonSchema, Parameter } from '../../openapi/route-description.js';

const PUBLIC_FACTS = {
  ok: OK,
  certificateHash: shape('Hash'),
  bundleType: TEXT,
  createdAt: TIME_OR_NULL,
  protocolVersion: TEXT_OR_NULL,
  status: oneOf('ATTESTED', 'EXTERNALLY_TIMESTAMPED'),
  attestation: shape('AttestationSummary'),
  receipt: shape('Receipt'),
  signature: SIGNATURE,
  kid: TEXT,
  nodeId: TEXT,
  timestamp: { anyOf: [shape('Timestamp'), { type: 'null' }] },
  verificationUrl: TEXT,
};

const CANONICAL_RECEIPT = object({ canonicalPayload: TEXT, signature: SIGNATURE, kid: TEXT });

const RESEALED = { resealedCertificateHash: shape('Hash') };

/** @see docs/spec.md, "GET /v1/cer/public" */
export const PUBLIC_ANSWER: JsonSchema = object(
  {
    ...PUBLIC_FACTS,
    cer: shape('Bundle'),
    canonical: object({
      certificate: {
        anyOf: [
          object({ profile: oneOf('svc-v1', 'jcs-v1'), canonicalPayload: TEXT, certificateHash: shape('Hash') }),
          { type: 'null' },
        ],
      },
      receipt: CANONICAL_RECEIPT,
    }),
  },
  {
    ...RESEALED,
    ...LOG_PROOFS,
    matchedBy: { const: 'executionId' },
    otherMatches: { ...list(shape('Hash')), maxItems: 20 },
  },
);

/** @see docs/spec.md, "GET /api/public-cer-proof" */
export const PROOF_ANSWER: JsonSchema = object(
  {
    ...PUBLIC_FACTS,
    inputHash: HASH_OR_NULL,
    outputHash: HASH_OR_NULL,
    canonical: object({ receipt: CANONICAL_RECEIPT }),
  },
  RESEALED,
);

export const HASH_QUERY: Parameter = { name: 'certificate_hash', description: 'Also certificateHash.', schema: HASH };
