import { TEXT, TEXT_OR_NULL, list, object, shape } from '../openapi/answer-shapes.js';
import type { JsonSchema, RouteDescription } from '../openapi/route-description.js';

export const KEY_SET = { nodeId: TEXT, activeKid: TEXT_OR_NULL, keys: list(shape('Key')) };

/** @see docs/spec.md, "Node key set" */
export const KEY_SET_ANSWER: JsonSchema = object(KEY_SET);

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

export const READY_ANSWER: JsonSchema = {
  ...object({ status: { const: 'ready' } }, { warnings: list(TEXT) }),
  examples: [{ status: 'ready' }],
};

/** @see docs/spec.md, "GET /ready" */
export const NOT_READY_ANSWER: JsonSchema = {
  ...object({ status: { const: 'not ready' }, reasons: list(TEXT) }),
  examples: [{ status: 'not ready', reasons: ['store: is not available'] }],
};

/** Describes a route that any client may call and that takes nothing. */
export function plainRoute(summary: string, description: string, schema: JsonSchema = {}): RouteDescription {
  return { group: 'The node', summary, access: 'public', success: { 200: { description, schema } } };
}
