import { expect, it } from '@jest/globals';
import { MAX_USAGE_COUNT, MAX_USAGE_ITEMS, USAGE_KINDS, UsageReport, type UsageKind } from './usage.js';

const item = (count: number, kind: UsageKind = 'certify') => ({ tenantId: 'tenant-1', kind, count });
const isTaken = (items: readonly unknown[], reportId = 'report-0001'): boolean =>
  UsageReport.safeParse({ reportId, items }).success;

it('a report has as many items and counts as its maxima', () => {
  const full = Array.from({ length: MAX_USAGE_ITEMS }, () => item(MAX_USAGE_COUNT));
  expect([isTaken(full), isTaken([...full, item(1)]), isTaken([item(MAX_USAGE_COUNT + 1)])]).toEqual([
    true,
    false,
    false,
  ]);
});

it('a report has whole counts of known kinds under an id', () => {
  expect(USAGE_KINDS.every((kind) => isTaken([item(1, kind)]))).toBe(true);
  expect([isTaken([]), isTaken([item(0)]), isTaken([item(1.5)]), isTaken([item(1)], 'short')]).not.toContain(true);
  expect(isTaken([{ ...item(1), kind: 'read' }])).toBe(false);
});
