import { HASH_OR_NULL, OK, TEXT, TEXT_OR_NULL, TIME, list, object, oneOf, shape } from '../../openapi/answer-shapes.js';
import type { JsonSchema, Parameter } from '../../openapi/route-description.js';

export const RECORD_FILTERS: readonly Parameter[] = [
  { name: 'attested_from', description: 'First attested then or later: a date or a time.', schema: TEXT },
  { name: 'attested_to', description: 'First attested before.', schema: TEXT },
  {
    name: 'app_id',
    description: "The whole of the snapshot's appId.",
    schema: { ...TEXT, minLength: 1, maxLength: 256 },
  },
  { name: 'bundle_type', description: 'A known bundle type.', schema: TEXT },
  { name: 'status', description: 'Both when left out.', schema: { enum: ['visible', 'hidden'] } },
];

export const LIST_ORDER: readonly Parameter[] = [
  { name: 'order', description: 'By first attestation.', schema: { enum: ['newest', 'oldest'], default: 'newest' } },
  {
    name: 'limit',
    description: 'Records a page.',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  },
  { name: 'cursor', description: 'Go on after this record.', schema: TEXT },
];

/** @see docs/spec.md, "GET /v1/records" */
export const RECORDS_ANSWER: JsonSchema = object({
  ok: OK,
  records: list(
    object({
      certificateHash: shape('Hash'),
      resealedCertificateHash: HASH_OR_NULL,
      kind: oneOf('full', 'hash-only'),
      bundleType: TEXT,
      protocolVersion: TEXT_OR_NULL,
      executionId: TEXT_OR_NULL,
      appId: TEXT_OR_NULL,
      attestationId: TEXT,
      attestedAt: TIME,
      firstAttestedAt: TIME,
      kid: TEXT,
      status: oneOf('visible', 'hidden'),
      cursor: TEXT,
      verificationUrl: TEXT,
    }),
  ),
  nextCursor: { ...TEXT_OR_NULL, description: 'Null on the last page.' },
});
