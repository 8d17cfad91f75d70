import { ok, ServiceError } from '@cer/http-service';
import { recordNotFound } from '../errors/refusals.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store, Visibility } from '../store/index.js';
import { hashActRoute, type HashActDeps } from './hash-act-route.js';
import { VISIBILITY_ANSWER } from './record-answers.js';

export interface VisibilityRouteDeps extends HashActDeps {
  readonly store: Pick<Store, 'records' | 'projects' | 'legalHolds'>;
}

const ACTS: readonly { readonly act: string; readonly title: string; readonly visibility: Visibility }[] = [
  { act: 'hide', title: 'Hide', visibility: 'hidden' },
  { act: 'unhide', title: 'Show again', visibility: 'visible' },
  { act: 'delete', title: 'Delete', visibility: 'deleted' },
];

/** Hides, unhides and deletes the records of a hash. @see docs/spec.md, "Admin routes" */
export function visibilityRoutes(deps: VisibilityRouteDeps): DescribedRoute[] {
  const { store } = deps;
  return (['records', 'projects'] as const).flatMap((kind) =>
    ACTS.map(({ act, title, visibility }) =>
      hashActRoute(deps, { kind, act, title, answer: VISIBILITY_ANSWER }, async ({ hash, tenant, auditSeq }) => {
        const changed = await store[kind].setVisibility(hash, visibility, tenant, auditSeq);
        const isDeletion = visibility === 'deleted';
        const held = isDeletion ? await store.legalHolds.held(kind, hash, tenant ?? null) : 0;
        if (changed === 0) throw held === 0 ? recordNotFound() : legalHold();
        return ok({ ok: true, hash, visibility, changed, ...(isDeletion && { held }), auditSeq });
      }),
    ),
  );
}

function legalHold(): ServiceError {
  return new ServiceError({ code: 'LEGAL_HOLD', message: 'a legal hold keeps the records under this hash' });
}
