import { CER_VERIFY_CODES } from '@cer/cer-core';
import { z } from 'zod';
import { RecertifyRequest } from '../admin/recertify-routes.js';
import { Scope } from '../admin/visibility-routes.js';
import { AuditQuery } from '../admin/audit-routes.js';
import { RevokeRequest, RotateRequest } from '../admin/signing-key-routes.js';
import { SettingsChange } from '../tenants/tenant-settings.js';
import {
  AUDIT_ANSWER,
  CERTIFIED_ANSWER,
  HEALTH_ANSWER,
  HOLD_ANSWER,
  IMAGE_ANSWER,
  KEY_HISTORY_ANSWER,
  KEY_SET_ANSWER,
  NODE_ANSWER,
  NOT_READY_ANSWER,
  PROJECT_VERIFIED_ANSWER,
  PROOF_ANSWER,
  PUBLIC_ANSWER,
  PUBLIC_PROJECT_ANSWER,
  READY_ANSWER,
  RECERTIFIED_ANSWER,
  RECORDS_ANSWER,
  REGISTERED_ANSWER,
  RENDER_VERIFIED_ANSWER,
  REVOKED_ANSWER,
  ROTATED_ANSWER,
  SETTINGS_ANSWER,
  STATEMENT_ANSWER,
  VERIFIED_ANSWER,
  VERSION_ANSWER,
  VISIBILITY_ANSWER,
} from './answer-schemas.js';
import { free, shape } from './answer-shapes.js';
import {
  ATTEST_REQUEST,
  EXECUTION_REQUEST,
  HASH,
  IMAGE_REQUEST,
  KEY_HISTORY_REQUEST,
  PROJECT_VERIFY_REQUEST,
  REGISTER_REQUEST,
  RENDER_VERIFY_REQUEST,
  VERIFY_REQUEST,
} from './body-schemas.js';
import type { JsonSchema, Parameter, RouteDescription, RouteName } from './route-description.js';

const CERTIFY = { scopes: ['certify'] } as const;
const RENDER = { scopes: ['render'] } as const;
const READ = { scopes: ['audit', 'certify'] } as const;

const CERTIFIED = {
  200: { schema: CERTIFIED_ANSWER, description: 'The certified bundle, its receipt and its signature.' },
} as const;
const ATTESTING = [
  'PROTOCOL_SCHEMA_UNSATISFIED',
  'EXECUTION_MUTATION_DETECTED',
  'QUOTA_EXCEEDED',
  'ATTESTATION_ERROR',
] as const;
/** Errors of public routes, which are limited per address and by a budget. */
const COUNTED = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const;
const RENDERING = [
  'LOOP_MODE_ERROR',
  'PROTOCOL_VIOLATION',
  'RENDER_ERROR',
  'RENDER_TIMEOUT',
  'RENDER_MEMORY_LIMIT',
  'RENDERER_UNAVAILABLE',
] as const;

const TEXT: JsonSchema = { type: 'string' };
const HASH_QUERY: Parameter = { name: 'certificate_hash', description: 'Also certificateHash.', schema: HASH };

const RECORD_FILTERS: readonly Parameter[] = [
  { name: 'attested_from', description: 'First attested then or later: a date or a time.', schema: TEXT },
  { name: 'attested_to', description: 'First attested before.', schema: TEXT },
  {
    name: 'app_id',
    description: "The whole of the snapshot's appId.",
    schema: { ...TEXT, minLength: 1, maxLength: 256 },
  },
  { name: 'bundle_type', description: 'A known bundle type.', schema: TEXT },
  { name: 'status', description: 'Both when left out.', schema: { enum: ['visible', 'hidden'] } },
];

const LIST_ORDER: readonly Parameter[] = [
  { name: 'order', description: 'By first attestation.', schema: { enum: ['newest', 'oldest'], default: 'newest' } },
  {
    name: 'limit',
    description: 'Records a page.',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  },
  { name: 'cursor', description: 'Go on after this record.', schema: TEXT },
];

/** Schemas of client input, before defaults are applied. */
function requestSchema(schema: z.ZodType): JsonSchema {
  // The document names its dialect once; rules in code cannot be expressed here and are in docs/spec.md.
  return Object.fromEntries(
    Object.entries(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).filter(
      ([name]) => name !== '$schema',
    ),
  );
}

function queryOf({ shape }: z.ZodObject, descriptions: Readonly<Record<string, string>>): Parameter[] {
  return Object.entries(shape).map(([name, schema]) => {
    if (!(schema instanceof z.ZodType)) throw new Error(`the query parameter ${name} has no schema`);
    return { name, description: descriptions[name] ?? '', schema: requestSchema(schema) };
  });
}

function visibilityRoute(kind: string, act: string, schema = VISIBILITY_ANSWER): RouteDescription {
  return {
    group: 'Administration',
    summary: `${act} what is under the hash of a ${kind}`,
    access: 'admin',
    body: { schema: requestSchema(Scope), optional: true },
    success: { 200: { description: 'How many changed, or are held now.', schema } },
    errors: act === 'Delete' ? ['NOT_FOUND', 'LEGAL_HOLD', 'ATTESTATION_ERROR'] : ['NOT_FOUND', 'ATTESTATION_ERROR'],
  };
}

function plainRoute(summary: string, description: string, schema: JsonSchema = {}): RouteDescription {
  return { group: 'The node', summary, access: 'anybody', success: { 200: { description, schema } } };
}

/**
 * Every route of the node: one row each, compared with the router by a test. To describe a new route, add its row.
 * @see docs/spec.md, "Routes"
 */
export const DESCRIBED_ROUTES = {
  'POST /v1/cer/ai/certify': {
    group: 'Certify',
    summary: 'Seal, sign and store an execution',
    access: CERTIFY,
    body: { schema: EXECUTION_REQUEST },
    success: CERTIFIED,
    errors: ATTESTING,
  },
  'POST /v1/cer/ai/certify-batch': {
    group: 'Certify',
    summary: 'Certify up to 500 executions, one a line',
    access: CERTIFY,
    body: { mediaType: 'application/x-ndjson', schema: EXECUTION_REQUEST },
    success: { 200: { description: 'One line {index, status, body} each.', mediaTypes: ['application/x-ndjson'] } },
  },
  'POST /v1/cer/ai/create': {
    group: 'Certify',
    summary: 'Seal an execution; nothing is signed or stored',
    access: CERTIFY,
    body: { schema: EXECUTION_REQUEST },
    success: { 200: { schema: shape('Bundle'), description: 'The bundle.' } },
    errors: ['PROTOCOL_SCHEMA_UNSATISFIED'],
  },
  'POST /api/attest': {
    group: 'Certify',
    summary: 'Sign and store a bundle that was sealed elsewhere',
    access: CERTIFY,
    body: { schema: ATTEST_REQUEST },
    success: CERTIFIED,
    errors: ['INVALID_BUNDLE', ...ATTESTING],
  },
  'POST /v1/cer/verify': {
    group: 'Verify and look up',
    summary: 'Verify a bundle',
    access: 'anybody',
    body: { schema: VERIFY_REQUEST },
    success: { 200: { schema: VERIFIED_ANSWER, description: 'The verdict, good or bad.' } },
    errors: COUNTED,
  },
  'GET /v1/cer/public': {
    group: 'Verify and look up',
    summary: 'The public form of a certificate, by exactly one of hash and executionId',
    access: 'anybody',
    query: [
      HASH_QUERY,
      {
        name: 'execution_id',
        description: 'Also executionId. A label, not an identity; with a Bearer key only of its tenant.',
        schema: { ...TEXT, minLength: 1, maxLength: 256 },
      },
    ],
    success: { 200: { schema: PUBLIC_ANSWER, description: 'The public record.' } },
    errors: ['UNAUTHORIZED', 'NOT_FOUND', ...COUNTED],
  },
  'GET /api/public-cer-proof': {
    group: 'Verify and look up',
    summary: 'The proof of a certificate without its bundle',
    access: 'anybody',
    query: [{ ...HASH_QUERY, required: true }],
    success: { 200: { schema: PROOF_ANSWER, description: 'The public proof.' } },
    errors: ['NOT_FOUND', ...COUNTED],
  },
  'GET /v1/resolve/cer/:hash': {
    group: 'Verify and look up',
    summary: 'Go to the public form of a certificate',
    access: 'anybody',
    success: { 302: { description: 'To GET /v1/cer/public.', mediaTypes: [] } },
    errors: ['VALIDATION_ERROR', ...COUNTED],
  },
  'POST /v1/project-bundle/register': {
    group: 'Projects',
    summary: 'Register a project of certified steps',
    access: { scopes: ['register'] },
    body: { schema: REGISTER_REQUEST },
    success: { 200: { schema: REGISTERED_ANSWER, description: 'The receipt of the project.' } },
    errors: ['EXECUTION_MUTATION_DETECTED', 'ATTESTATION_ERROR'],
    findings: CER_VERIFY_CODES.filter((code) => code !== 'OK' && code !== 'SCHEMA_ERROR'),
  },
  'POST /v1/project-bundle/verify': {
    group: 'Projects',
    summary: 'Verify a project bundle',
    access: 'anybody',
    body: { schema: PROJECT_VERIFY_REQUEST },
    success: { 200: { schema: PROJECT_VERIFIED_ANSWER, description: 'The verdict, good or bad.' } },
    errors: COUNTED,
  },
  'GET /v1/project-bundle/public': {
    group: 'Projects',
    summary: 'The public form of a registered project',
    access: 'anybody',
    query: [{ name: 'project_hash', description: 'Also projectHash.', schema: HASH, required: true }],
    success: { 200: { schema: PUBLIC_PROJECT_ANSWER, description: 'The public project.' } },
    errors: ['NOT_FOUND', ...COUNTED],
  },
  'GET /v1/records': {
    group: 'Records',
    summary: "The tenant's own records, page by page",
    access: READ,
    query: [...RECORD_FILTERS, ...LIST_ORDER],
    success: { 200: { schema: RECORDS_ANSWER, description: 'A page of records without their content.' } },
  },
  'GET /v1/records/export': {
    group: 'Records',
    summary: "The tenant's own records as one signed package",
    access: READ,
    query: RECORD_FILTERS,
    success: { 200: { description: 'The audit package.', mediaTypes: ['application/zip'] } },
    errors: ['ATTESTATION_ERROR'],
  },
  'POST /api/render': {
    group: 'Render',
    summary: 'Render a sketch; nothing is certified',
    access: RENDER,
    body: { schema: IMAGE_REQUEST },
    success: {
      200: { schema: IMAGE_ANSWER, description: 'The picture.', mediaTypes: ['image/png', 'application/json'] },
    },
    errors: RENDERING,
  },
  'POST /verify': {
    group: 'Render',
    summary: 'Render a sketch, compare its hashes and certify it',
    access: RENDER,
    body: { schema: RENDER_VERIFY_REQUEST },
    success: {
      200: {
        schema: RENDER_VERIFIED_ANSWER,
        description: 'The verdict, a stream of progress, or the loop as a video.',
        mediaTypes: ['application/json', 'text/event-stream', 'video/mp4', 'video/webm'],
      },
    },
    errors: [...RENDERING, 'RENDER_NOT_REPRODUCIBLE', 'VIDEO_UNAVAILABLE', ...ATTESTING],
  },
  'POST /render': {
    group: 'Render',
    summary: 'Render without a key; for development only',
    access: 'anybody',
    body: { schema: IMAGE_REQUEST },
    success: {
      200: { schema: IMAGE_ANSWER, description: 'The picture.', mediaTypes: ['image/png', 'application/json'] },
    },
    errors: ['GONE', ...COUNTED, ...RENDERING],
  },
  'GET /.well-known/svc-node.json': plainRoute(
    'The key set of the node',
    'The keys and the life of each.',
    KEY_SET_ANSWER,
  ),
  'GET /.well-known/svc-key-history.json': plainRoute(
    'The key history of the node',
    'Every change of its keys.',
    KEY_HISTORY_ANSWER,
  ),
  'GET /': plainRoute('Which node this is', 'Its name, active key and versions.', NODE_ANSWER),
  'GET /version': plainRoute('What the node runs', 'The same with its runtime.', VERSION_ANSWER),
  'GET /health': plainRoute('Whether the process is up', 'It is up.', HEALTH_ANSWER),
  'GET /ready': {
    ...plainRoute('Whether the node may be sent requests', 'It is ready.'),
    success: {
      200: { description: 'It is ready.', schema: READY_ANSWER },
      503: { description: 'It is not ready, with reasons.', schema: NOT_READY_ANSWER },
    },
  },
  'GET /metrics': {
    ...plainRoute('Metrics', ''),
    success: { 200: { description: 'Prometheus text.', mediaTypes: ['text/plain'] } },
  },
  'GET /openapi.json': plainRoute(
    'This description',
    'An OpenAPI 3.1 document.',
    free('See https://spec.openapis.org/oas/v3.1.0.'),
  ),
  'GET /docs': {
    ...plainRoute('This description for people', ''),
    success: { 200: { description: 'A page without script.', mediaTypes: ['text/html'] } },
  },
  'GET /v1/admin/audit': {
    group: 'Administration',
    summary: 'The log of administrative acts',
    access: 'admin',
    query: queryOf(AuditQuery, { after: 'Entries after this seq.', limit: 'Entries a page, 1 to 1000.' }),
    success: { 200: { schema: AUDIT_ANSWER, description: 'Entries, the head of the log, and where to go on.' } },
  },
  'POST /v1/admin/recertify-batch': {
    group: 'Administration',
    summary: 'Attest stored records anew, by their hashes or by a filter',
    access: 'admin',
    body: { schema: requestSchema(RecertifyRequest) },
    success: { 200: { schema: RECERTIFIED_ANSWER, description: 'A result for each record.' } },
    errors: ['ATTESTATION_ERROR'],
  },
  'POST /v1/admin/records/:hash/hide': visibilityRoute('certificate', 'Hide'),
  'POST /v1/admin/records/:hash/unhide': visibilityRoute('certificate', 'Show again'),
  'POST /v1/admin/records/:hash/delete': visibilityRoute('certificate', 'Delete'),
  'POST /v1/admin/projects/:hash/hide': visibilityRoute('project', 'Hide'),
  'POST /v1/admin/projects/:hash/unhide': visibilityRoute('project', 'Show again'),
  'POST /v1/admin/projects/:hash/delete': visibilityRoute('project', 'Delete'),
  'POST /v1/admin/records/:hash/hold': visibilityRoute('certificate', 'Hold against deletion', HOLD_ANSWER),
  'POST /v1/admin/records/:hash/release': visibilityRoute('certificate', 'Release from its hold', HOLD_ANSWER),
  'POST /v1/admin/projects/:hash/hold': visibilityRoute('project', 'Hold against deletion', HOLD_ANSWER),
  'POST /v1/admin/projects/:hash/release': visibilityRoute('project', 'Release from its hold', HOLD_ANSWER),
  'GET /v1/admin/tenants/:tenant/settings': {
    group: 'Administration',
    summary: 'How the records of a tenant are made, kept and shown',
    access: 'admin',
    success: { 200: { schema: SETTINGS_ANSWER, description: 'What holds, and who said it.' } },
    errors: ['NOT_FOUND'],
  },
  'POST /v1/admin/tenants/:tenant/settings': {
    group: 'Administration',
    summary: 'Change how the records of a tenant are made, kept and shown',
    access: 'admin',
    body: { schema: requestSchema(SettingsChange) },
    success: { 200: { schema: SETTINGS_ANSWER, description: 'What holds now.' } },
    errors: ['NOT_FOUND', 'ATTESTATION_ERROR'],
  },
  'POST /v1/admin/keys/rotate': {
    group: 'Administration',
    summary: 'Go on to a new signing key',
    access: 'admin',
    body: { schema: requestSchema(RotateRequest), optional: true },
    success: { 200: { schema: ROTATED_ANSWER, description: 'The new key and since when it signs.' } },
    errors: ['KEY_ROTATION_IN_PROGRESS', 'KEY_HISTORY_CONFLICT', 'ATTESTATION_ERROR'],
  },
  'POST /v1/admin/keys/:kid/revoke': {
    group: 'Administration',
    summary: 'Revoke a signing key',
    access: 'admin',
    body: { schema: requestSchema(RevokeRequest) },
    success: { 200: { schema: REVOKED_ANSWER, description: 'The key is revoked.' } },
    errors: ['NOT_FOUND', 'KEY_ALREADY_REVOKED', 'KEY_HISTORY_CONFLICT', 'ATTESTATION_ERROR'],
  },
  'POST /v1/admin/key-history': {
    group: 'Administration',
    summary: 'Take a key history that the root key signed',
    access: 'admin',
    body: { schema: KEY_HISTORY_REQUEST },
    success: { 200: { schema: STATEMENT_ANSWER, description: 'The version of the statement and how far it reaches.' } },
    errors: ['KEY_HISTORY_CONFLICT'],
  },
} as const satisfies Readonly<Record<RouteName, RouteDescription>>;
