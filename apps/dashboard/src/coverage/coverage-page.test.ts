import { expect, it } from '@jest/globals';
import { coveragePage } from './coverage-page.js';
import type { BridgedDay } from './kinds.js';

/** The page of some applications on three days, and how often it read the day and the application of a row. */
function readsPerRow(applications: number): number {
  let reads = 0;
  const row = (day: string, appId: string): BridgedDay => ({
    get day() {
      reads += 1;
      return day;
    },
    get appId() {
      reads += 1;
      return appId;
    },
    certified: 1,
    reports: 0,
    refused: 0,
    refusals: {},
    reported: null,
    bridgeRefused: 0,
  });
  const dates = ['2026-01-01', '2026-01-02', '2026-01-03'];
  const days = dates.flatMap((day) => Array.from({ length: applications }, (_, at) => row(day, `application-${at}`)));
  const [from = '', , to = ''] = dates;
  coveragePage({ coverage: { from, to, isCounted: true, days }, appId: null });
  return reads / days.length;
}

it('reads each row as often among many applications', () => {
  expect(readsPerRow(500)).toBe(readsPerRow(5));
});

const NO_REPORT = {
  ...{ clients: 1, unclosed: 0, seen: 0, sealed: 0, aborted: 0, failed: 0, truncated: 0, skipped: 0, unsealed: 0 },
  ...{ dropped: 0, dead: 0, open: 0 },
};

/** A day of an application. */
function dayOf(day: string, appId: string | null, more: Partial<BridgedDay>): BridgedDay {
  return { day, appId, certified: 0, reports: 0, refused: 0, refusals: {}, reported: null, bridgeRefused: 0, ...more };
}

/** The text of the page of 1 to 3 January 2026. */
function textOf(days: readonly BridgedDay[]): string {
  const coverage = { from: '2026-01-01', to: '2026-01-03', isCounted: true, days };
  return coveragePage({ coverage, appId: null }).body.text.replace(/\s+/g, ' ');
}

it.each([
  [1, ['0', '1']],
  [2, ['0', '1', '2']],
  [4, ['0', '5']],
  [9, ['0', '5', '10']],
])('labels the lines of a chart of %i calls with their numbers', (certified, labels) => {
  const text = textOf([dayOf('2026-01-02', 'one', { certified })]);
  expect([...text.matchAll(/text-anchor="end">([^<]*)</g)].map(([, label]) => label)).toEqual(labels);
});

it('shows what waited at the last report, of whichever day', () => {
  const text = textOf([
    dayOf('2026-01-01', 'one', { reported: { ...NO_REPORT, waiting: 9 } }),
    dayOf('2026-01-01', 'two', { reported: { ...NO_REPORT, waiting: 3 } }),
    dayOf('2026-01-02', 'one', { reported: { ...NO_REPORT, waiting: 4 } }),
    dayOf('2026-01-03', 'two', { certified: 1 }),
  ]);
  expect(text).toContain('Waiting: <strong>7</strong> <span class="muted">at the last report');
});

it('names executions without an application in one way', () => {
  const text = textOf([dayOf('2026-01-02', null, { certified: 1 }), dayOf('2026-01-02', 'one', { certified: 2 })]);
  expect(text).toContain('<th scope="row">none</th>');
  expect(text).toContain('<th scope="row">2026-01-02</th> <td>none</td>');
});

it('shows names that reorder text as they are', () => {
  const [plain, bidi] = ['one', 'a\u202exe.txt'].map((appId) => dayOf('2026-01-02', appId, { certified: 1 }));
  const text = textOf([plain, bidi].filter((day) => day !== undefined));
  expect(text).toContain('<td>a\\u{202e}xe.txt</td>');
  expect(text).not.toContain('\u202e');
});
