import { checkRequest, ok, parseJsonBody, type Handler, type Route } from '@cer/http-service';
import type { Secret } from '@cer/http-service/config';
import { z } from 'zod';
import { USAGE_KINDS } from '../account/usage-kind.js';
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

/** The routes for node and bridge. @see docs/spec.md, "Control plane" */
export function internalRoutes(deps: IntrospectionDeps, serviceToken: Secret<string>): readonly Route[] {
  const admit = createServiceGate(serviceToken);
  const route = (path: string, handler: Handler): Route => ({
    method: 'POST',
    path,
    admit,
    mediaTypes: JSON_BODY,
    bodyLimitBytes: 256 * 1024,
    handler,
  });
  const aboutKey = introspectKey(deps);
  const aboutSession = introspectSession(deps);

  return [
    route('/internal/v1/keys/introspect', async (request) => {
      const { keyHash } = checkRequest(KeyIntrospectionRequest, parseJsonBody(request, { maxDepth: MAX_DEPTH }));
      return ok(await aboutKey(keyHash.replace(/^sha256:/, '')));
    }),
    route('/internal/v1/sessions/introspect', async (request) => {
      const body = parseJsonBody(request, { maxDepth: MAX_DEPTH });
      const { tenantId, sub } = checkRequest(SessionIntrospectionRequest, body);
      return ok(await aboutSession(tenantId, sub));
    }),
    route('/internal/v1/usage', async (request) => {
      const { reportId, items } = checkRequest(UsageReport, parseJsonBody(request, { maxDepth: MAX_DEPTH }));
      const accepted = await deps.store.usage.record(reportId, items);
      return ok(accepted === null ? { ok: true, replayed: true } : { ok: true, accepted });
    }),
  ];
}
