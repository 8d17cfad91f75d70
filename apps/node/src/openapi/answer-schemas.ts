import {
  COUNT,
  free,
  HASH_OR_NULL,
  list,
  object,
  oneOf,
  shape,
  SIGNATURE,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
} from './answer-shapes.js';
import type { JsonSchema } from './route-description.js';

// The responses of each route. A test validates the responses of a journey through the node against them, member by
// member.

const OK: JsonSchema = { const: true };
const CHECK = oneOf('pass', 'fail', 'skipped');
const ENVELOPE: JsonSchema = {
  ...free('The verification envelope; null for an attestation of a hash alone.'),
  type: ['object', 'null'],
};
const SALT = object({ salt: TEXT });
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

/** @see docs/spec.md, "Certify response" */
export const CERTIFIED_ANSWER: JsonSchema = object(
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
  },
);

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
            { type: oneOf('rfc3161', 'node-issued'), status: oneOf('verified', 'invalid', 'untrusted') },
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
  { ...RESEALED, matchedBy: { const: 'executionId' }, otherMatches: { ...list(shape('Hash')), maxItems: 20 } },
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
  description: 'Beside these the members of the project that its hash covers.',
};

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

const PICTURE_SIZE = { width: COUNT, height: COUNT };

/** @see docs/spec.md, "POST /api/render" */
export const IMAGE_ANSWER: JsonSchema = object({
  pngBase64: TEXT,
  runtimeHash: shape('Hash'),
  pixelHash: shape('Hash'),
  ...PICTURE_SIZE,
  sdkVersion: TEXT,
  rendererVersion: TEXT,
  protocolVersion: TEXT,
  executionTimeMs: { type: 'number' },
});

/** @see docs/spec.md, "POST /verify" */
export const RENDER_VERIFIED_ANSWER: JsonSchema = object(
  {
    verified: { type: 'boolean' },
    mode: oneOf('static', 'loop'),
    hashMatchType: oneOf('png', 'pixels', null),
    protocolCompliant: { type: 'boolean' },
    metadata: object(
      {
        sdkVersion: TEXT,
        protocolVersion: TEXT,
        rendererVersion: TEXT,
        executionTimeMs: { type: 'number' },
        timestamp: TIME,
      },
      { frames: COUNT, fps: { type: 'number' } },
    ),
  },
  {
    computedHash: shape('Hash'),
    computedPixelHash: shape('Hash'),
    expectedHash: shape('Hash'),
    computedAnimationHash: shape('Hash'),
    computedPosterHash: shape('Hash'),
    expectedAnimationHash: shape('Hash'),
    expectedPosterHash: shape('Hash'),
    animationVerified: { type: 'boolean' },
    posterVerified: { type: 'boolean' },
    certificateHash: shape('Hash'),
    verificationUrl: TEXT,
    cer: shape('Bundle'),
  },
);

const KEY_SET = { nodeId: TEXT, activeKid: TEXT_OR_NULL, keys: list(shape('Key')) };

/** @see docs/spec.md, "Node key set" */
export const KEY_SET_ANSWER: JsonSchema = object(KEY_SET);

/** @see docs/spec.md, "Key history" */
export const KEY_HISTORY_ANSWER: JsonSchema = object({
  type: TEXT,
  nodeId: TEXT,
  entries: list(
    object({
      seq: COUNT,
      prevHash: HASH_OR_NULL,
      issuedAt: TIME,
      change: { ...object({ type: TEXT }), additionalProperties: true },
    }),
  ),
  statement: {
    anyOf: [
      object({
        type: TEXT,
        version: COUNT,
        issuedAt: TIME,
        nextUpdate: TIME,
        nodeId: TEXT,
        historyHead: object({ seq: COUNT, hash: shape('Hash') }),
        keySet: object(KEY_SET),
      }),
      { type: 'null' },
    ],
  },
  signatures: list(object({ kid: TEXT, signature: SIGNATURE })),
});

const NODE = {
  service: TEXT,
  nodeId: TEXT,
  activeKid: TEXT_OR_NULL,
  status: { const: 'ok' },
  version: TEXT,
  protocolVersion: TEXT,
  protocol: object({ default: TEXT, supported: list(TEXT) }),
  wellKnown: TEXT,
};

/** @see docs/spec.md, "GET /" */
export const NODE_ANSWER: JsonSchema = object(NODE);

/** @see docs/spec.md, "GET /version" */
export const VERSION_ANSWER: JsonSchema = object({
  ...NODE,
  runtime: object({ node: TEXT, version: TEXT, protocolVersions: list(TEXT), runtime: TEXT }),
  nodeRuntimeHash: shape('Hash'),
});

export const HEALTH_ANSWER: JsonSchema = { ...object({ status: { const: 'ok' } }), examples: [{ status: 'ok' }] };
export const READY_ANSWER: JsonSchema = { ...object({ status: { const: 'ready' } }), examples: [{ status: 'ready' }] };

/** @see docs/spec.md, "GET /ready" */
export const NOT_READY_ANSWER: JsonSchema = {
  ...object({ status: { const: 'not ready' }, reasons: list(TEXT) }),
  examples: [{ status: 'not ready', reasons: ['store: is not available'] }],
};

const AUDITED = { ok: OK, auditSeq: { type: 'integer', minimum: 1, description: 'Its place in the audit log.' } };

/** @see docs/spec.md, "Admin routes" */
export const VISIBILITY_ANSWER: JsonSchema = object(
  { ...AUDITED, hash: shape('Hash'), visibility: oneOf('visible', 'hidden', 'deleted'), changed: COUNT },
  { held: { ...COUNT, description: 'When deleting: what a legal hold kept.' } },
);

/** @see docs/spec.md, "Retention" */
export const HOLD_ANSWER: JsonSchema = object({ ...AUDITED, hash: shape('Hash'), held: COUNT });

const PUBLISH = object({
  context: { type: 'boolean' },
  prompt: { type: 'boolean' },
  instruction: { type: 'boolean' },
  metadata: { anyOf: [oneOf('none', 'all'), list(TEXT)] },
});
const STATED: JsonSchema = {
  anyOf: [
    object({
      retentionDays: { type: ['integer', 'null'] },
      visibility: oneOf('public', 'hidden', null),
      legalHold: { type: ['boolean', 'null'] },
      publish: { anyOf: [{ ...PUBLISH, required: [] }, { type: 'null' }] },
    }),
    { type: 'null' },
  ],
};

/** @see docs/spec.md, "Retention" */
export const SETTINGS_ANSWER: JsonSchema = object(
  {
    ok: OK,
    tenantId: TEXT,
    settings: object({
      retentionDays: { type: ['integer', 'null'] },
      visibility: oneOf('public', 'hidden'),
      legalHold: { type: 'boolean' },
      publish: PUBLISH,
    }),
    stated: object({ node: STATED, controlPlane: STATED }),
  },
  { auditSeq: AUDITED.auditSeq },
);

/** @see docs/spec.md, "Admin routes" */
export const RECERTIFIED_ANSWER: JsonSchema = object({
  ok: OK,
  dryRun: { type: 'boolean' },
  results: list(
    object({
      certificateHash: shape('Hash'),
      result: oneOf('recertified', 'unchanged', 'failed'),
      reason: TEXT_OR_NULL,
    }),
  ),
  next: { ...TEXT_OR_NULL, description: 'The cursor of the next page; null at the end.' },
  auditSeq: { type: ['integer', 'null'], description: 'Null for a dry run.' },
});

/** @see docs/spec.md, "Admin routes" */
export const ROTATED_ANSWER: JsonSchema = object({ ok: OK, kid: TEXT, notBefore: TIME, previousKid: TEXT_OR_NULL });

/** @see docs/spec.md, "Admin routes" */
export const REVOKED_ANSWER: JsonSchema = object(
  { ok: OK, status: { const: 'revoked' }, kid: TEXT, revokedAt: TIME, reason: TEXT },
  { compromisedSince: TIME, replacedBy: TEXT_OR_NULL },
);

/** @see docs/spec.md, "Key set statement" */
export const STATEMENT_ANSWER: JsonSchema = object({ ok: OK, version: COUNT, seq: COUNT });

/** @see docs/spec.md, "Audit log" */
export const AUDIT_ANSWER: JsonSchema = object({
  entries: list(
    object({
      entry: object({
        seq: COUNT,
        prevHash: HASH_OR_NULL,
        at: TIME,
        act: TEXT,
        target: TEXT_OR_NULL,
        actor: TEXT,
        requestId: TEXT_OR_NULL,
        details: free('What was asked.'),
      }),
      hash: shape('Hash'),
      kid: TEXT,
      signature: SIGNATURE,
    }),
  ),
  head: {
    anyOf: [
      object({ nodeId: TEXT, seq: COUNT, hash: shape('Hash'), kid: TEXT, signature: SIGNATURE }),
      { type: 'null' },
    ],
  },
  next: { type: ['integer', 'null'] },
});
