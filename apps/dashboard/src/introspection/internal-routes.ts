import {
  CONTROL_PLANE_PATHS,
  KeyIntrospectionRequest,
  SessionIntrospectionRequest,
  TenantSettings,
  UsageReport,
} from '@cer/control-plane';
import { checkRequest, ok, parseJsonBody, type Handler } from '@cer/http-service';
import type { Secret } from '@cer/http-service/config';
import { COUNT, object, TEXT, type JsonSchema } from '@cer/http-service/openapi';
import * as z from 'zod';
import type { DescribedRoute } from '../openapi/route-description.js';
import { introspectKey, introspectSession, type IntrospectionDeps } from './introspect.js';
import { createServiceGate } from './service-gate.js';

const JSON_BODY = ['application/json'];
const MAX_DEPTH = 4;

interface Words {
  readonly summary: string;
  readonly body: z.ZodType;
  readonly answer: string;
  readonly schema: JsonSchema;
}

const YES_OR_NO: JsonSchema = { type: 'boolean' };
const COUNT_OR_NONE: JsonSchema = { type: ['integer', 'null'] };
const ACCOUNT = {
  ...{ tenantName: TEXT, accountStatus: TEXT, plan: TEXT, entitlements: object({ bridge: YES_OR_NO }) },
  limits: object({ requestsPerMinute: COUNT_OR_NONE, executionsPerMonth: COUNT_OR_NONE }),
  settings: z.toJSONSchema(TenantSettings),
};

const ABOUT_KEY: Words = {
  summary: 'What an API key may do',
  body: KeyIntrospectionRequest,
  answer: 'Without active a key that does not work; of a suspended account with the account.',
  schema: object(
    { active: YES_OR_NO },
    { tenantId: TEXT, keyId: TEXT, scopes: { type: 'array', items: TEXT }, ...ACCOUNT },
  ),
};
const ABOUT_SESSION: Words = {
  summary: 'Whether a user may still be signed in',
  body: SessionIntrospectionRequest,
  answer: 'Without active a user who may not.',
  schema: object(
    { active: YES_OR_NO },
    { user: object({ id: TEXT, email: TEXT, name: TEXT }), sessionsEndedAt: TEXT, ...ACCOUNT },
  ),
};
const ABOUT_USAGE: Words = {
  summary: 'Report usage',
  body: UsageReport,
  answer: 'The report is counted, now or by an earlier request with its id.',
  schema: object({ ok: { const: true } }, { accepted: COUNT, replayed: { const: true } }),
};

/** The routes for node and bridge. @see docs/spec.md, "Control plane" */
export function internalRoutes(deps: IntrospectionDeps, serviceToken: Secret<string>): readonly DescribedRoute[] {
  const admit = createServiceGate(serviceToken);
  const route = (path: string, words: Words, handler: Handler): DescribedRoute => ({
    method: 'POST',
    path,
    description: {
      group: 'For services',
      summary: words.summary,
      access: 'service',
      body: { schema: z.toJSONSchema(words.body, { io: 'input' }) },
      success: { 200: { description: words.answer, schema: words.schema } },
    },
    admit,
    mediaTypes: JSON_BODY,
    bodyLimitBytes: 256 * 1024,
    handler,
  });
  const aboutKey = introspectKey(deps);
  const aboutSession = introspectSession(deps);

  return [
    route(CONTROL_PLANE_PATHS.key, ABOUT_KEY, async (request) => {
      const { keyHash } = checkRequest(KeyIntrospectionRequest, parseJsonBody(request, { maxDepth: MAX_DEPTH }));
      return ok(await aboutKey(keyHash.replace(/^sha256:/, '')));
    }),
    route(CONTROL_PLANE_PATHS.session, ABOUT_SESSION, async (request) => {
      const body = parseJsonBody(request, { maxDepth: MAX_DEPTH });
      const { tenantId, sub } = checkRequest(SessionIntrospectionRequest, body);
      return ok(await aboutSession(tenantId, sub));
    }),
    route(CONTROL_PLANE_PATHS.usage, ABOUT_USAGE, async (request) => {
      const { reportId, items } = checkRequest(UsageReport, parseJsonBody(request, { maxDepth: MAX_DEPTH }));
      const accepted = await deps.store.usage.record(reportId, items);
      return ok(accepted === null ? { ok: true, replayed: true } : { ok: true, accepted });
    }),
  ];
}
