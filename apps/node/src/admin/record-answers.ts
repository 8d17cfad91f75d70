import {
  COUNT,
  HASH_OR_NULL,
  OK,
  SIGNATURE,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  free,
  list,
  object,
  oneOf,
  shape,
} from '../openapi/answer-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

export const AUDITED = {
  ok: OK,
  auditSeq: { type: 'integer', minimum: 1, description: 'Its place in the audit log.' },
};

/** @see docs/spec.md, "Admin routes" */
export const VISIBILITY_ANSWER: JsonSchema = object(
  { ...AUDITED, hash: shape('Hash'), visibility: oneOf('visible', 'hidden', 'deleted'), changed: COUNT },
  { held: { ...COUNT, description: 'When deleting: the number of items that a legal hold kept.' } },
);

/** @see docs/spec.md, "Retention" */
export const HOLD_ANSWER: JsonSchema = object({ ...AUDITED, hash: shape('Hash'), held: COUNT });

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
