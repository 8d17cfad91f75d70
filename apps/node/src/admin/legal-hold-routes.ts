import { ok } from '@cer/http-service';
import { recordNotFound } from '../errors/refusals.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store } from '../store/index.js';
import { hashActRoute, type HashActDeps } from './hash-act-route.js';
import { HOLD_ANSWER } from './record-answers.js';

export interface LegalHoldRouteDeps extends HashActDeps {
  readonly store: Pick<Store, 'legalHolds'>;
}

const TITLES = { hold: 'Hold against deletion', release: 'Release from its hold' } as const;

/** Places a legal hold on the records of a hash, and releases it. @see docs/spec.md, "Retention" */
export function legalHoldRoutes(deps: LegalHoldRouteDeps): DescribedRoute[] {
  const { legalHolds } = deps.store;
  return (['records', 'projects'] as const).flatMap((kind) =>
    (['hold', 'release'] as const).map((act) =>
      hashActRoute(deps, { kind, act, title: TITLES[act], answer: HOLD_ANSWER }, async (logged) => {
        const { hash, tenant = null, auditSeq } = logged;
        const found = await (act === 'hold' ? legalHolds.place(kind, hash, tenant) : legalHolds.release(hash, tenant));
        if (found === 0) throw recordNotFound();
        // Another hold, of the tenant or of the other hash, may still apply.
        return ok({ ok: true, hash, held: await legalHolds.held(kind, hash, tenant), auditSeq });
      }),
    ),
  );
}
