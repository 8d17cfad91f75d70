import { TEXT } from './answer-shapes.js';
import type { JsonSchema } from './route-description.js';

// Shapes that bodies of several routes share. They say what a client may rely on; docs/spec.md has every rule.

export const HASH: JsonSchema = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'SHA-256 in lower-case hex.',
};

export const OPTIONAL_HASH: JsonSchema = { ...HASH, type: ['string', 'null'] };
export const OPTIONAL_TEXT: JsonSchema = { type: ['string', 'null'] };
export const OPTIONAL_TIME: JsonSchema = {
  type: ['string', 'null'],
  description: 'RFC 3339 with an offset; null means absent.',
};

/** A bundle's members depend on its type; its type and hash are always there. */
export const BUNDLE: JsonSchema = {
  type: 'object',
  required: ['bundleType', 'certificateHash'],
  properties: { bundleType: TEXT, certificateHash: HASH },
};
