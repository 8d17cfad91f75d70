import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store } from '../store/index.js';
import type { Pages } from '../web/pages.js';
import { usagePage } from './usage-page.js';

export interface UsageRoutesDeps {
  readonly pages: Pages;
  readonly store: Store;
  readonly now: () => Date;
}

const DAYS_SHOWN = 31;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The plan of an account and how much of it was used. */
export function usageRoutes({ pages, store, now }: UsageRoutesDeps): readonly DescribedRoute[] {
  return [
    pages.view('/usage', 'Plan and usage', async ({ session }) => {
      const { tenantId, plan } = session.tenant;
      const at = now();
      const firstShown = new Date(at.getTime() - (DAYS_SHOWN - 1) * DAY_MS).toISOString().slice(0, 10);
      const firstOfMonth = `${at.toISOString().slice(0, 7)}-01`;
      const days = await store.usage.list(tenantId, firstShown < firstOfMonth ? firstShown : firstOfMonth);
      return usagePage(plan, days, firstOfMonth);
    }),
  ];
}
