import { z } from 'zod';
import { checkRequest, ok, parseJsonBody, pathParam, type Route, type ServiceRequest } from '@cer/http-service';
import type { AuditLog } from '../audit/audit-log.js';
import { recordNotFound } from '../errors.js';
import { parseHash } from '../lookup/lookup-query.js';
import type { Store, Visibility } from '../store/index.js';
import type { AdminGate } from './admin-gate.js';

export interface VisibilityRouteDeps {
  readonly store: Pick<Store, 'records' | 'projects'>;
  readonly adminGate: AdminGate;
  readonly auditLog: AuditLog;
}

const ACTS: ReadonlyMap<string, Visibility> = new Map([
  ['hide', 'hidden'],
  ['unhide', 'visible'],
  ['delete', 'deleted'],
]);

export const Scope = z.strictObject({ tenant: z.string().min(1).max(256).optional() });

/** Hides, shows again and deletes what is under a hash. @see docs/spec.md, "Admin routes" */
export function visibilityRoutes({ store, adminGate, auditLog }: VisibilityRouteDeps): Route[] {
  return (['records', 'projects'] as const).flatMap((kind) =>
    [...ACTS].map(([act, visibility]): Route => ({
      method: 'POST',
      path: `/v1/admin/${kind}/:hash/${act}`,
      admit: adminGate.admit,
      mediaTypes: ['application/json'],
      handler: async (request) => {
        const hash = parseHash(pathParam(request, 'hash'), 'hash');
        const { tenant } = scopeOf(request);
        // Before the act: then no act is without its entry.
        const auditSeq = await auditLog.append({
          act: `${kind}.${act}`,
          target: hash,
          actor: adminGate.actorOf(request),
          requestId: request.requestId,
          details: { tenant: tenant ?? null },
        });
        const changed = await store[kind].setVisibility(hash, visibility, tenant);
        if (changed === 0) throw recordNotFound();
        return ok({ ok: true, hash, visibility, changed, auditSeq });
      },
    })),
  );
}

/** No body is all tenants. */
function scopeOf(request: ServiceRequest): z.output<typeof Scope> {
  return request.body.length === 0 ? {} : checkRequest(Scope, parseJsonBody(request));
}
