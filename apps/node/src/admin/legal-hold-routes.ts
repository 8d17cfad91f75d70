import { ok, pathParam } from '@cer/http-service';
import type { AuditLog } from '../audit-log/audit-log.js';
import { recordNotFound } from '../errors/refusals.js';
import { parseHash } from '../records/read/lookup-query.js';
import type { Store } from '../store/index.js';
import type { AdminGate } from '../auth/admin-gate.js';
import { describeRoute, scopeOf } from './visibility-routes.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { HOLD_ANSWER } from './record-answers.js';

export interface LegalHoldRouteDeps {
  readonly store: Pick<Store, 'legalHolds'>;
  readonly adminGate: AdminGate;
  readonly auditLog: AuditLog;
}

const TITLES = { hold: 'Hold against deletion', release: 'Release from its hold' } as const;

/** Places a legal hold on the records of a hash, and releases it. @see docs/spec.md, "Retention" */
export function legalHoldRoutes({ store, adminGate, auditLog }: LegalHoldRouteDeps): DescribedRoute[] {
  const { legalHolds } = store;
  return (['records', 'projects'] as const).flatMap((kind) =>
    (['hold', 'release'] as const).map((act): DescribedRoute => ({
      method: 'POST',
      path: `/v1/admin/${kind}/:hash/${act}`,
      description: describeRoute(kind, TITLES[act], HOLD_ANSWER),
      admit: adminGate.admit,
      mediaTypes: ['application/json'],
      handler: async (request) => {
        const hash = parseHash(pathParam(request, 'hash'), 'hash');
        const tenant = scopeOf(request).tenant ?? null;
        // Logged first, so that every act has an entry.
        const auditSeq = await auditLog.append({
          act: `${kind}.${act}`,
          target: hash,
          actor: adminGate.actorOf(request),
          requestId: request.requestId,
          details: { tenant },
        });
        const found = await (act === 'hold' ? legalHolds.place(kind, hash, tenant) : legalHolds.release(hash, tenant));
        if (found === 0) throw recordNotFound();
        // Another hold, of the tenant or of the other hash, may still apply.
        return ok({ ok: true, hash, held: await legalHolds.held(kind, hash, tenant), auditSeq });
      },
    })),
  );
}
