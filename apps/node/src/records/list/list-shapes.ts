import {
  COUNT,
  HASH_OR_NULL,
  OK,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  list,
  object,
  oneOf,
  shape,
} from '../../openapi/answer-shapes.js';
import type { JsonSchema, Parameter } from '../../openapi/route-description.js';

const LABEL: JsonSchema = { ...TEXT, minLength: 1, maxLength: 256 };
const SET: JsonSchema = { enum: ['true'] };

/** The filters that leaves of the transparency log know too. */
export const LEAF_FILTERS: readonly Parameter[] = [
  { name: 'attested_from', description: 'First attested then or later: a date or a time.', schema: TEXT },
  { name: 'attested_to', description: 'First attested before.', schema: TEXT },
  { name: 'app_id', description: "The whole of the snapshot's appId.", schema: LABEL },
  { name: 'bundle_type', description: 'A known bundle type.', schema: TEXT },
];

export const RECORD_FILTERS: readonly Parameter[] = [
  ...LEAF_FILTERS,
  { name: 'provider', description: "The whole of the snapshot's provider.", schema: LABEL },
  { name: 'model', description: "The whole of the snapshot's model.", schema: LABEL },
  { name: 'protocol_version', description: 'A known protocol version.', schema: TEXT },
  { name: 'status', description: 'Both when left out.', schema: { enum: ['visible', 'hidden'] } },
  { name: 'timestamped', description: 'Only with an external timestamp.', schema: SET },
  { name: 'log_proof', description: 'Only with a place in the transparency log.', schema: SET },
  { name: 'certificate_hash', description: 'Of the certificate or of its reseal.', schema: shape('Hash') },
  { name: 'execution_id', description: 'Of the described execution.', schema: LABEL },
  { name: 'project_hash', description: 'Only the steps of this project of the tenant.', schema: shape('Hash') },
  { name: 'reviewed_hash', description: 'Only human reviews of this certificate or project.', schema: shape('Hash') },
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

/** @see docs/spec.md, "GET /v1/records/count" */
export const COUNT_ANSWER: JsonSchema = object({
  ok: OK,
  count: COUNT,
  isExact: { type: 'boolean', description: 'False: there are as many or more.' },
});

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
      provider: TEXT_OR_NULL,
      model: TEXT_OR_NULL,
      attestationId: TEXT,
      attestedAt: TIME,
      firstAttestedAt: TIME,
      timestampedAt: { ...TEXT_OR_NULL, description: 'Of its external timestamp.' },
      kid: TEXT,
      status: oneOf('visible', 'hidden'),
      cursor: TEXT,
      verificationUrl: TEXT,
    }),
  ),
  nextCursor: { ...TEXT_OR_NULL, description: 'Null on the last page.' },
});
