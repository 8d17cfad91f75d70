import type { Route } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { nodePage } from '../records/node-page.js';
import type { NodeRecords } from '../records/node-records.js';
import type { Pages } from '../web/pages.js';
import { coveragePage } from './coverage-page.js';

const DAYS_SHOWN = 31;
const MAX_DAYS = 92;
const MAX_APP_LENGTH = 256;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface CoverageRoutesDeps {
  readonly pages: Pages;
  readonly nodeRecords: Pick<NodeRecords, 'coverage'>;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** How many calls of the account have a certificate, as the node and the producers counted them. */
export function coverageRoutes({ pages, nodeRecords, now, logger }: CoverageRoutesDeps): readonly Route[] {
  const page = { path: '/coverage', title: 'Coverage', back: { path: '/', label: 'Go to the overview' } };
  return [
    nodePage({ pages, logger }, page, async ({ session, head }) => {
      const query = questionOf(head.query, now());
      const coverage = await nodeRecords.coverage(session.tenant.tenantId, query);
      return coveragePage({ coverage, appId: query.get('app_id') });
    }),
  ];
}

/** Days that are none, or too many, become the nearest ones that fit. */
function questionOf(asked: URLSearchParams, now: Date): URLSearchParams {
  const dayOf = (name: string): string | null => {
    const value = asked.get(name)?.trim() ?? '';
    const time = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN;
    return time >= 0 ? dayAt(time) : null;
  };
  const to = dayOf('to') ?? dayAt(now.getTime());
  const before = (days: number): string => dayAt(Math.max(0, Date.parse(to) - (days - 1) * DAY_MS));
  const stated = dayOf('from') ?? before(DAYS_SHOWN);
  const from = stated > to ? before(DAYS_SHOWN) : stated < before(MAX_DAYS) ? before(MAX_DAYS) : stated;
  const appId = asked.get('app_id')?.trim() ?? '';
  const isName = appId !== '' && appId.length <= MAX_APP_LENGTH;
  return new URLSearchParams({ from, to, ...(isName && { app_id: appId }) });
}

function dayAt(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
