import { AUDITED } from './record-answers.js';
import { OK, TEXT, list, object, oneOf } from '../openapi/answer-shapes.js';
import type { JsonSchema } from '../openapi/route-description.js';

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
