import type { Logger } from '@cer/http-service/process';
import type { DescribedRoute } from '../openapi/route-description.js';
import { nodePage } from '../records/node-page.js';
import type { NodeRecords } from '../records/node-records.js';
import type { Pages } from '../web/pages.js';
import type { UsageStore } from '../store/index.js';
import type { FormFault } from '../web/form.js';
import { coveragePage, faultyCoveragePage } from './coverage-page.js';
import { withBridge } from './kinds.js';

const DAYS_SHOWN = 31;
const MAX_DAYS = 92;
const MAX_APP_LENGTH = 256;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface CoverageRoutesDeps {
  readonly pages: Pages;
  readonly nodeRecords: Pick<NodeRecords, 'coverage'>;
  readonly store: { readonly usage: Pick<UsageStore, 'list'> };
  readonly now: () => Date;
  readonly logger: Logger;
}

/** How many calls of the account have a certificate, as node, bridge and producers counted them. */
export function coverageRoutes({
  pages,
  nodeRecords,
  store,
  now,
  logger,
}: CoverageRoutesDeps): readonly DescribedRoute[] {
  const page = {
    path: '/coverage',
    title: 'Coverage',
    words: { summary: 'How many calls have a certificate', query: ['from', 'to', 'app_id'] },
    back: { path: '/', label: 'Go to the overview' },
  };
  return [
    nodePage({ pages, logger }, page, async ({ session, head }) => {
      const unread = [
        ...['from', 'to'].flatMap((name) => dayFault(name, typed(head.query, name))),
        ...appFault(typed(head.query, 'app_id')),
      ];
      const range = unread.length === 0 ? rangeOf(head.query, now()) : null;
      const faults = range === null ? unread : rangeFault(range);
      if (range === null || faults.length > 0) {
        const [from = '', to = '', asked = ''] = ['from', 'to', 'app_id'].map((name) => typed(head.query, name));
        return faultyCoveragePage({ from, to, appId: asked, faults });
      }
      const appId = typed(head.query, 'app_id') || null;
      const query = new URLSearchParams({ ...range, ...(appId !== null && { app_id: appId }) });
      const { tenantId } = session.tenant;
      const coverage = await nodeRecords.coverage(tenantId, query);
      const usage = appId === null ? await store.usage.list(tenantId, coverage.from) : [];
      return coveragePage({ coverage: withBridge(coverage, usage), appId });
    }),
  ];
}

/** The name of an application may begin or end with a space. */
function typed(asked: URLSearchParams, name: string): string {
  const value = asked.get(name) ?? '';
  return name === 'app_id' && value.trim() !== '' ? value : value.trim();
}

/** Another range than the one that was asked for could be taken for it. */
function dayFault(field: string, value: string): readonly FormFault[] {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN;
  if (value === '' || (time >= 0 && dayAt(time) === value)) return [];
  return [{ field, sentence: `${field === 'from' ? 'From' : 'To'} must be a day, such as 2026-01-31.` }];
}

/** The counts of all applications could be taken for those of the one that was asked for. */
function appFault(value: string): readonly FormFault[] {
  if (value.length <= MAX_APP_LENGTH) return [];
  return [{ field: 'app_id', sentence: `Application must have at most ${MAX_APP_LENGTH} characters.` }];
}

interface Range {
  readonly from: string;
  readonly to: string;
}

/** Up to today, and a month, where the query does not say otherwise. */
function rangeOf(asked: URLSearchParams, now: Date): Range {
  const to = typed(asked, 'to') || dayAt(now.getTime());
  const from = typed(asked, 'from') || dayAt(Math.max(0, Date.parse(to) - (DAYS_SHOWN - 1) * DAY_MS));
  return { from, to };
}

function rangeFault({ from, to }: Range): readonly FormFault[] {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) return [{ field: 'from', sentence: 'From must not be later than To, which is today when left out.' }];
  if (days > MAX_DAYS) return [{ field: 'from', sentence: `From and To must enclose at most ${MAX_DAYS} days.` }];
  return [];
}

function dayAt(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
