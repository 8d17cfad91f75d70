import { expect, it } from '@jest/globals';
import { silentLogger } from '@cer/http-service/process';
import type { UsageItem } from './control-plane.js';
import { UsageReports } from './usage-reports.js';

it('reports a count over the maximum of an item in parts', async () => {
  const reported: UsageItem[] = [];
  const controlPlane = {
    reportUsage: async (_: string, items: readonly UsageItem[]) => {
      // As the dashboard: it refuses a whole report for one item.
      if (items.some(({ count }) => count > 10_000_000)) throw new Error('refused');
      reported.push(...items);
    },
  };
  const reports = new UsageReports(controlPlane, silentLogger(), 'ingest');
  reports.add('busy', 25_000_000);
  reports.add('quiet', 3);
  await reports.flush();
  expect(reported.map(({ tenantId, count }) => [tenantId, count])).toEqual([
    ['busy', 10_000_000],
    ['quiet', 3],
    ['busy', 10_000_000],
    ['busy', 5_000_000],
  ]);
});
