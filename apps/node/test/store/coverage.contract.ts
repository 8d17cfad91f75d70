import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ClientReport, CoverageCount, CoverageQuery, Store } from '../../src/store/index.js';
import { countNewest } from '../../src/coverage/count-certificates.js';
import { newRecord } from './new-record.js';

/** Contract of the counts of certificates and refusals. */
export function coverageContract(opened: () => Store): void {
  const query = (tenantId: string, more: Partial<CoverageQuery> = {}): CoverageQuery => ({
    ...{ tenantId, from: '2026-05-01', to: '2026-06-01' },
    ...more,
  });
  const refusal = (tenantId: string, more: Partial<CoverageCount> = {}): CoverageCount => ({
    ...{ tenantId, day: '2026-05-04', appId: 'desk', outcome: 'VALIDATION_ERROR', count: 1 },
    ...more,
  });
  const report = (tenantId: string, clientId: string, more: Partial<ClientReport>): ClientReport => ({
    ...{ tenantId, clientId, day: '2026-05-04', appId: 'desk', report: 1, isLast: false },
    ...{ seen: 0, sealed: 0, aborted: 0, failed: 0, truncated: 0, skipped: 0, unsealed: 0, dropped: 0, dead: 0 },
    ...{ open: 0, waiting: 0 },
    ...more,
  });
  const addReports = async (reports: readonly ClientReport[]): Promise<void> => {
    const { coverage, recordList, records } = opened();
    await records.recordOnce(newRecord({ tenantId: `other-${randomUUID()}` }));
    const range = await coverage.uncounted((await recordList.snapshot()).lastSeq);
    if (range === null) throw new Error('nothing to count');
    expect(await coverage.addRange(range, reports)).toBe(true);
  };

  describe('coverage', () => {
    it('counts each certificate once, by day and application', async () => {
      const store = opened();
      while (!(await countNewest(store)));
      const tenantId = `counted-${randomUUID()}`;
      const at = (day: string, appId: string | null) =>
        newRecord({ tenantId, appId, attestedAt: `${day}T10:00:00.000Z` });
      for (const [day, appId] of [
        ['2026-05-04', 'desk'],
        ['2026-05-04', 'desk'],
        ['2026-05-05', 'desk'],
        ['2026-05-04', null],
      ] as const) {
        await store.records.recordOnce(at(day, appId));
      }
      const { lastSeq } = await store.recordList.snapshot();
      const range = await store.coverage.uncounted(lastSeq);
      if (range === null) throw new Error('nothing to count');
      const both = await Promise.all([store.coverage.addRange(range, []), store.coverage.addRange(range, [])]);
      expect(both.toSorted()).toEqual([false, true]);
      expect(await store.coverage.uncounted(lastSeq)).toBeNull();
      const count = { tenantId, outcome: 'certified' };
      expect(await store.coverage.counts(query(tenantId))).toEqual([
        { ...count, day: '2026-05-04', appId: null, count: 1 },
        { ...count, day: '2026-05-04', appId: 'desk', count: 2 },
        { ...count, day: '2026-05-05', appId: 'desk', count: 1 },
      ]);
      expect(await store.coverage.counts(query(tenantId, { from: '2026-05-05', appId: 'desk' }))).toHaveLength(1);
      expect(await store.coverage.counts(query(tenantId, { to: '2026-05-04' }))).toEqual([]);
    });

    it('names an application in a refusal once it has a certificate', async () => {
      const store = opened();
      const tenantId = `refused-${randomUUID()}`;
      await store.coverage.addRefusals([refusal(tenantId)]);
      await store.records.recordOnce(newRecord({ tenantId, appId: 'desk', attestedAt: '2026-05-04T10:00:00.000Z' }));
      while (!(await countNewest(store)));
      await store.coverage.addRefusals([refusal(tenantId, { count: 2 }), refusal(tenantId, { appId: 'unknown' })]);
      await store.coverage.addRefusals([refusal(tenantId)]);
      const found = await store.coverage.counts(query(tenantId));
      expect(found.map(({ appId, outcome, count }) => [appId, outcome, count])).toEqual([
        [null, 'VALIDATION_ERROR', 2],
        ['desk', 'VALIDATION_ERROR', 3],
        ['desk', 'certified', 1],
      ]);
    });

    it("adds the day's counts of clients", async () => {
      const tenantId = `reporting-${randomUUID()}`;
      const [first, second] = [randomUUID(), randomUUID()];
      const early = { day: '2026-04-30', report: 1, seen: 10, sealed: 10 };
      await addReports([
        report(tenantId, first, early),
        report(tenantId, first, { report: 2, seen: 15, sealed: 13, skipped: 2, open: 1 }),
        report(tenantId, second, { report: 2, seen: 4, sealed: 3, dropped: 1, isLast: true }),
      ]);
      // The newest report of a day counts, in whatever order they come.
      await addReports([
        report(tenantId, first, { report: 3, seen: 18, sealed: 16, skipped: 2, waiting: 5 }),
        report(tenantId, second, { report: 1, seen: 1, sealed: 1 }),
        report(tenantId, first, { day: '2026-05-05', report: 4, seen: 18, sealed: 16, skipped: 2, isLast: true }),
        report(`other-${tenantId}`, first, { report: 9, seen: 1000 }),
      ]);
      const { coverage } = opened();
      const found = await coverage.reported(query(tenantId));
      expect(found).toEqual([
        expect.objectContaining({
          ...{ day: '2026-05-04', appId: 'desk', clients: 2, unclosed: 0, seen: 12, sealed: 9, skipped: 2, dropped: 1 },
          ...{ open: 0, waiting: 5 },
        }),
        expect.objectContaining({ day: '2026-05-05', clients: 1, seen: 0, sealed: 0, waiting: 0 }),
      ]);
      const until = await coverage.reported(query(tenantId, { to: '2026-05-05' }));
      expect(until.map(({ unclosed }) => unclosed)).toEqual([1]);
      expect(await coverage.reported(query(tenantId, { appId: 'other' }))).toEqual([]);
    });

    it('adds what clients newly gave up by tenant and day', async () => {
      const [one, other] = [`dead-${randomUUID()}`, `dead-${randomUUID()}`];
      const [first, second] = [randomUUID(), randomUUID()];
      await addReports([
        report(one, first, { day: '2027-04-30', report: 1, dead: 4 }),
        report(one, first, { day: '2027-05-04', report: 2, dead: 6 }),
        report(one, first, { day: '2027-05-05', report: 3, dead: 7 }),
        report(one, second, { day: '2027-05-04', dead: 1 }),
        report(one, randomUUID(), { day: '2027-04-30', dead: 50 }),
        report(other, first, { day: '2027-05-04', dead: 0 }),
      ]);
      const found = await opened().coverage.deadLetters('2027-05-04');
      expect(found.filter(({ tenantId }) => tenantId === one || tenantId === other)).toEqual([
        { tenantId: one, day: '2027-05-04', count: 3 },
        { tenantId: one, day: '2027-05-05', count: 1 },
      ]);
    });
  });
}
