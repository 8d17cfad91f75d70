import { TEXT, list, object, oneOf } from '../openapi/answer-shapes.js';
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

/** The effective settings of a tenant, and what each source set. @see docs/spec.md, "Retention" */
export const SETTINGS_MEMBERS = {
  settings: object({
    retentionDays: { type: ['integer', 'null'] },
    visibility: oneOf('public', 'hidden'),
    legalHold: { type: 'boolean' },
    publish: PUBLISH,
  }),
  stated: object({ node: STATED, controlPlane: STATED }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
