import * as z from 'zod';
import { checkRequest, ok, parseJsonBody, pathParam, ServiceError, type ServiceRequest } from '@cer/http-service';
import type { AuditLog } from '../audit-log/audit-log.js';
import { recordNotFound } from '../errors/refusals.js';
import { parseHash } from '../records/read/lookup-query.js';
import type { Store, Visibility } from '../store/index.js';
import type { AdminGate } from '../auth/admin-gate.js';
import type { DescribedRoute, JsonSchema, RouteDescription } from '../openapi/route-description.js';
import { requestSchema } from '../openapi/request-schema.js';
import { VISIBILITY_ANSWER } from './record-answers.js';

export interface VisibilityRouteDeps {
  readonly store: Pick<Store, 'records' | 'projects' | 'legalHolds'>;
  readonly adminGate: AdminGate;
  readonly auditLog: AuditLog;
}

const ACTS: readonly { readonly act: string; readonly title: string; readonly visibility: Visibility }[] = [
  { act: 'hide', title: 'Hide', visibility: 'hidden' },
  { act: 'unhide', title: 'Show again', visibility: 'visible' },
  { act: 'delete', title: 'Delete', visibility: 'deleted' },
];

export const Scope = z.strictObject({ tenant: z.string().min(1).max(256).optional() });

/** Hides, unhides and deletes the records of a hash. @see docs/spec.md, "Admin routes" */
export function visibilityRoutes({ store, adminGate, auditLog }: VisibilityRouteDeps): DescribedRoute[] {
  return (['records', 'projects'] as const).flatMap((kind) =>
    ACTS.map(({ act, title, visibility }): DescribedRoute => ({
      method: 'POST',
      path: `/v1/admin/${kind}/:hash/${act}`,
      description: describeRoute(kind, title, VISIBILITY_ANSWER),
      admit: adminGate.admit,
      mediaTypes: ['application/json'],
      handler: async (request) => {
        const hash = parseHash(pathParam(request, 'hash'), 'hash');
        const { tenant } = scopeOf(request);
        // Logged first, so that every act has an entry.
        const auditSeq = await auditLog.append({
          act: `${kind}.${act}`,
          target: hash,
          actor: adminGate.actorOf(request),
          requestId: request.requestId,
          details: { tenant: tenant ?? null },
        });
        const changed = await store[kind].setVisibility(hash, visibility, tenant, auditSeq);
        const isDeletion = visibility === 'deleted';
        const held = isDeletion ? await store.legalHolds.held(kind, hash, tenant ?? null) : 0;
        if (changed === 0) throw held === 0 ? recordNotFound() : legalHold();
        return ok({ ok: true, hash, visibility, changed, ...(isDeletion && { held }), auditSeq });
      },
    })),
  );
}

function legalHold(): ServiceError {
  return new ServiceError({ code: 'LEGAL_HOLD', message: 'a legal hold keeps the records under this hash' });
}

/** Describes an act of an administrator on what is under a hash. */
export function describeRoute(kind: 'records' | 'projects', act: string, schema: JsonSchema): RouteDescription {
  return {
    group: 'Administration',
    summary: `${act} what is under the hash of a ${kind === 'records' ? 'certificate' : 'project'}`,
    access: 'admin',
    body: { schema: requestSchema(Scope), optional: true },
    success: { 200: { description: 'How many changed, or are held now.', schema } },
    errors: act === 'Delete' ? ['NOT_FOUND', 'LEGAL_HOLD', 'ATTESTATION_ERROR'] : ['NOT_FOUND', 'ATTESTATION_ERROR'],
  };
}

/** Without a body: all tenants. */
export function scopeOf(request: ServiceRequest): z.output<typeof Scope> {
  return request.body.length === 0 ? {} : checkRequest(Scope, parseJsonBody(request));
}
