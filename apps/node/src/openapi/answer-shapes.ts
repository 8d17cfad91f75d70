import { COUNT, free, object, TEXT, TEXT_OR_NULL } from '@cer/http-service/openapi';
import type { JsonSchema } from './route-description.js';

export { COUNT, free, object, TEXT, TEXT_OR_NULL };

// Schemas shared by several responses; the document defines them once, under components.

export const OK: JsonSchema = { const: true };
export const TIME: JsonSchema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d' };
export const TIME_OR_NULL: JsonSchema = { ...TIME, type: ['string', 'null'] };
export const SIGNATURE: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{86}$',
  description: 'Ed25519, 64 bytes as base64url without padding.',
};
const HASH_PATTERN = '^sha256:[0-9a-f]{64}$';
export const HASH_OR_NULL: JsonSchema = { type: ['string', 'null'], pattern: HASH_PATTERN };
const HASH: JsonSchema = { type: 'string', pattern: HASH_PATTERN };

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const oneOf = (...values: readonly (string | null)[]): JsonSchema => ({ enum: values });
export const shape = (name: keyof typeof SHAPES): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Where a transparency log shows the receipt. */
export const LOG_PROOFS = { logProofs: list(object({ proof: TEXT }, { notBefore: TEXT })) };

const RESEALED: Readonly<Record<string, JsonSchema>> = {
  scope: { enum: ['hash-only', 'reseal'] },
  originalCertificateHash: HASH,
  redactionPolicy: TEXT,
};

export const SHAPES = {
  Hash: { ...HASH, description: 'SHA-256 in lower-case hex.' },
  Bundle: {
    ...object({ bundleType: TEXT, certificateHash: HASH }, { meta: free('The signatures over it, and metadata.') }),
    additionalProperties: true,
    description: 'A certificate (CER). Its members depend on its type.',
  },
  Receipt: {
    ...object({ certificateHash: HASH, timestamp: TIME, nodeId: TEXT, kid: TEXT }, RESEALED),
    description: 'The signed receipt: the signature is over its canonical form (JCS).',
  },
  ProjectReceipt: object({ projectHash: HASH, registeredAt: TIME, nodeId: TEXT, kid: TEXT }),
  Timestamp: {
    ...object({
      type: oneOf('rfc3161', 'node-issued'),
      status: oneOf('verified', 'invalid', 'untrusted'),
      provider: TEXT,
      token: TEXT_OR_NULL,
      covers: oneOf('receipt', 'content', null),
    }),
    additionalProperties: true,
    description: 'The external timestamp, or the word of the node.',
  },
  AttestationSummary: object(
    {
      attestationId: TEXT,
      attestedAt: TIME,
      bundleType: TEXT,
      certificateHash: HASH,
      nodeRuntimeHash: HASH,
      protocolVersion: TEXT_OR_NULL,
      verified: { type: 'boolean' },
      checks: list(oneOf('snapshot_hashes', 'certificate_hash')),
    },
    { requestId: TEXT },
  ),
  Key: object(
    {
      kid: TEXT,
      algorithm: { const: 'Ed25519' },
      publicKey: { ...TEXT, description: 'Base64 of its SPKI DER.' },
      publicKeyJwk: object({ kty: { const: 'OKP' }, crv: { const: 'Ed25519' }, x: TEXT }),
      status: oneOf('active', 'retired', 'revoked'),
      createdAt: TIME,
      notBefore: TIME,
    },
    {
      retiredAt: TIME,
      revokedAt: TIME,
      compromisedSince: TIME,
      revocationReason: TEXT,
      contextUnprotectedBefore: TIME,
    },
  ),
} as const satisfies Readonly<Record<string, JsonSchema>>;
