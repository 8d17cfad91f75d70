import { KEY_SET } from '../status/status-answers.js';
import {
  COUNT,
  HASH_OR_NULL,
  OK,
  SIGNATURE,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  list,
  object,
  shape,
} from '../openapi/answer-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

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

/** @see docs/spec.md, "Key set statement" */
export const KEY_HISTORY_REQUEST: JsonSchema = {
  type: 'object',
  description: 'A key history whose newest statement the root key signed.',
};

/** @see docs/spec.md, "Admin routes" */
export const ROTATED_ANSWER: JsonSchema = object({ ok: OK, kid: TEXT, notBefore: TIME, previousKid: TEXT_OR_NULL });

/** @see docs/spec.md, "Admin routes" */
export const REVOKED_ANSWER: JsonSchema = object(
  { ok: OK, status: { const: 'revoked' }, kid: TEXT, revokedAt: TIME, reason: TEXT },
  { compromisedSince: TIME, replacedBy: TEXT_OR_NULL },
);

/** @see docs/spec.md, "Key set statement" */
export const STATEMENT_ANSWER: JsonSchema = object({ ok: OK, version: COUNT, seq: COUNT });
