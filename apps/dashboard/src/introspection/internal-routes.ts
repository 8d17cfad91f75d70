import { checkRequest, ok, parseJsonBody, type Handler } from '@cer/http-service';
import type { Secret } from '@cer/http-service/config';
import { COUNT, object, TEXT, type JsonSchema } from '@cer/http-service/openapi';
import { z } from 'zod';
import { TenantSettings } from '../account/tenant-settings.js';
import { USAGE_KINDS } from '../account/usage-kind.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { introspectKey, introspectSession, type IntrospectionDeps } from './introspect.js';
import { createServiceGate } from './service-gate.js';

const JSON_BODY = ['application/json'];
const MAX_USAGE_ITEMS = 1_000;
const MAX_USAGE_COUNT = 10_000_000;
const MAX_DEPTH = 4;

/** With or without the prefix that hashes carry elsewhere. */
const KeyIntrospectionRequest = z.object({
  keyHash: z.string().regex(/^(sha256:)?[0-9a-f]{64}$/, { error: 'must be 64 lower-case hex digits' }),
});

const SessionIntrospectionRequest = z.object({
  tenantId: z.string().min(1).max(100),
  sub: z.string().min(1).max(100),
});

const UsageReport = z.object({
  /** Chosen by the reporter: a report that is repeated counts once. */
  reportId: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, { error: 'must be 8 to 64 letters, digits, "-" or "_"' }),
  items: z
    .array(
      z.object({
        tenantId: z.string().min(1).max(100),
        kind: z.enum(USAGE_KINDS),
        count: z.number().int().min(1).max(MAX_USAGE_COUNT),
      }),
    )
    .min(1)
    .max(MAX_USAGE_ITEMS),
});

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
  schema: object({ active: YES_OR_NO }, { user: object({ id: TEXT, email: TEXT, name: TEXT }), ...ACCOUNT }),
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
    route('/internal/v1/keys/introspect', ABOUT_KEY, async (request) => {
      const { keyHash } = checkRequest(KeyIntrospectionRequest, parseJsonBody(request, { maxDepth: MAX_DEPTH }));
      return ok(await aboutKey(keyHash.replace(/^sha256:/, '')));
    }),
    route('/internal/v1/sessions/introspect', ABOUT_SESSION, async (request) => {
      const body = parseJsonBody(request, { maxDepth: MAX_DEPTH });
      const { tenantId, sub } = checkRequest(SessionIntrospectionRequest, body);
      return ok(await aboutSession(tenantId, sub));
    }),
    route('/internal/v1/usage', ABOUT_USAGE, async (request) => {
      const { reportId, items } = checkRequest(UsageReport, parseJsonBody(request, { maxDepth: MAX_DEPTH }));
      const accepted = await deps.store.usage.record(reportId, items);
      return ok(accepted === null ? { ok: true, replayed: true } : { ok: true, accepted });
    }),
  ];
}
