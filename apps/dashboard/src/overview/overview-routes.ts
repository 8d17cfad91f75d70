import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store } from '../store/index.js';
import { countsOf, executionsIn } from '../usage/month.js';
import { noticeText } from '../web/notices.js';
import type { Pages } from '../web/pages.js';
import { overviewPage } from './overview-page.js';

const ACTS_SHOWN = 5;

/** The start page. */
export function overviewRoutes(deps: {
  readonly pages: Pages;
  readonly store: Store;
  readonly now: () => Date;
}): readonly DescribedRoute[] {
  const { pages, store, now } = deps;
  return [
    pages.view('/', 'The overview', async ({ session, head }) => {
      const { tenantId } = session.tenant;
      const [workingKeys, days, acts] = await Promise.all([
        store.apiKeys.countWorking(tenantId),
        store.usage.list(tenantId, `${now().toISOString().slice(0, 7)}-01`),
        store.acts(tenantId, ACTS_SHOWN),
      ]);
      return overviewPage({
        tenant: session.tenant,
        workingKeys,
        executions: executionsIn(countsOf(days)),
        acts,
        notice: noticeText(head.query),
      });
    }),
  ];
}
