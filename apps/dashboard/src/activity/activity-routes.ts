import type { Route } from '@cer/http-service';
import type { Store } from '../store/index.js';
import type { Pages } from '../web/pages.js';
import { activityPage } from './activity-page.js';

const ACTS_SHOWN = 200;

/** The audit trail of an account. */
export function activityRoutes({ pages, store }: { readonly pages: Pages; readonly store: Store }): readonly Route[] {
  return [
    pages.view('/activity', async ({ session }) => activityPage(await store.acts(session.tenant.tenantId, ACTS_SHOWN))),
  ];
}
