import type { JsonMembers } from '../json.js';

/** Every code that the routes of the client answer with. @see docs/spec.md, "Errors" */
export const NODE_ERROR_CODES = [
  'ADMIN_NOT_CONFIGURED',
  'ATTESTATION_ERROR',
  'ATTESTATION_INVALID_SIGNATURE',
  'ATTESTATION_KEY_FORMAT_UNSUPPORTED',
  'ATTESTATION_KEY_NOT_FOUND',
  'ATTESTATION_MISSING',
  'CANNOT_BE_JUDGED',
  'CANONICALIZATION_ERROR',
  'CERTIFICATE_HASH_MISMATCH',
  'CHAIN_BREAK_DETECTED',
  'EXECUTION_MUTATION_DETECTED',
  'FORBIDDEN',
  'INCOMPLETE_ARTIFACT',
  'INPUT_HASH_MISMATCH',
  'INTERNAL_ERROR',
  'INVALID_BUNDLE',
  'INVALID_SHA256_FORMAT',
  'KEY_REVOKED',
  'LOG_BACKDATED',
  'LOG_INCLUSION_INVALID',
  'LOG_LABEL_MISMATCH',
  'LOG_LATE',
  'LOG_PROOF_MALFORMED',
  'LOG_PROOF_MISSING',
  'LOG_QUORUM_NOT_MET',
  'LOG_SIGNATURE_INVALID',
  'LOG_TIME_CONFLICT',
  'LOG_UNKNOWN',
  'LOOP_MODE_ERROR',
  'NOT_FOUND',
  'OUTPUT_HASH_MISMATCH',
  'PAYLOAD_TOO_LARGE',
  'PROJECT_HASH_MISMATCH',
  'PROTECTED_FIELD_MISSING',
  'PROTECTED_SET_MISMATCH',
  'PROTOCOL_SCHEMA_UNSATISFIED',
  'PROTOCOL_VIOLATION',
  'QUOTA_EXCEEDED',
  'RATE_LIMITED',
  'RECORD_REMOVED',
  'RENDERER_UNAVAILABLE',
  'RENDER_ERROR',
  'RENDER_MEMORY_LIMIT',
  'RENDER_NOT_REPRODUCIBLE',
  'RENDER_TIMEOUT',
  'REQUEST_TIMEOUT',
  'SCHEMA_KEY_INVALID',
  'SERVICE_UNAVAILABLE',
  'SNAPSHOT_HASH_MISMATCH',
  'STEP_REGISTRY_MISMATCH',
  'TOOL_EVIDENCE_MISSING',
  'TOOL_OUTPUT_HASH_MISMATCH',
  'UNAUTHORIZED',
  'UNKNOWN_ERROR',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_ERROR',
  'VERIFICATION_MATERIAL_UNAVAILABLE',
  'VIDEO_UNAVAILABLE',
  'WEBHOOK_ROTATED',
] as const;

export type NodeErrorCode = (typeof NODE_ERROR_CODES)[number];

/**
 * A code of the node, or one of the client: `UNREACHABLE` (no answer, or one that ended early), `TIMEOUT`,
 * `ANSWER_TOO_LARGE`, and `UNEXPECTED_ANSWER` (not from a node, or a code that this release does not know).
 */
export type NodeFailure = NodeErrorCode | 'UNREACHABLE' | 'TIMEOUT' | 'ANSWER_TOO_LARGE' | 'UNEXPECTED_ANSWER';

export interface NodeErrorFacts {
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** `X-Request-Id` of the answer, for the operator of the node. */
  readonly requestId: string | null;
  /** One sentence per fault. They name members and rules, never values. */
  readonly details: readonly string[];
  /** Milliseconds the node asks to wait, from `Retry-After`. */
  readonly retryAfterMs: number | null;
  /** The whole refusal; null without one that is a JSON object. */
  readonly answer: JsonMembers | null;
}

/** A refusal of the node, or no usable answer. */
export class NodeError extends Error implements NodeErrorFacts {
  override readonly name = 'NodeError';
  readonly code: NodeFailure;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly details: readonly string[];
  readonly retryAfterMs: number | null;
  readonly answer: JsonMembers | null;

  constructor(code: NodeFailure, message: string, facts: Partial<NodeErrorFacts> = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = facts.status ?? null;
    this.requestId = facts.requestId ?? null;
    this.details = facts.details ?? [];
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.answer = facts.answer ?? null;
  }
}

const KNOWN: ReadonlySet<string> = new Set(NODE_ERROR_CODES);

export function isNodeErrorCode(code: string | null): code is NodeErrorCode {
  return code !== null && KNOWN.has(code);
}
