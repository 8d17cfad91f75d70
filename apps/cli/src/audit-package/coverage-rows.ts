import { printable } from '../printable.js';
import { row, type Row } from '../report/lay-out.js';
import type { PackageCoverage } from './coverage.js';

const grouped = (count: number): string => count.toLocaleString('en');

/** The sums of node and producers, side by side; nothing for a package without them. */
export function coverageRows(coverage: PackageCoverage | null): readonly Row[] {
  if (coverage === null) return [];
  const { from, to, isCounted, certified, refused, refusals, reported } = coverage;
  const reasons = Object.entries(refusals).map(([code, found]) => `${printable(code)} ${grouped(found)}`);
  const days = from === null && to === null ? 'all' : `${from ?? 'the beginning'} to ${to ?? 'the newest'}, whole days`;
  return [
    ['Days', days],
    ['Certified', `${grouped(certified)} calls, deleted ones included`],
    ['Refused', refused === 0 ? 'none' : `${grouped(refused)}: ${reasons.join(', ')}`],
    ['Producers', reported === null ? 'certified no own counts' : producerSentence(reported)],
    ...(isCounted ? [] : [row('Note', 'the node had not counted every certificate yet')]),
  ];
}

function producerSentence(reported: NonNullable<PackageCoverage['reported']>): string {
  const { seen, sealed, aborted, failed, truncated, skipped, unsealed, dropped, dead } = reported;
  const ended = listed([aborted, 'aborted'], [failed, 'failed'], [truncated, 'cut off']);
  const without = listed([skipped, 'by choice'], [unsealed, 'not sealable'], [dropped, 'no room']);
  return [
    `counted ${grouped(seen)} calls: ${grouped(sealed)} with a certificate${ended === '' ? '' : ` (${ended})`}`,
    `${grouped(skipped + unsealed + dropped)} without${without === '' ? '' : `: ${without}`}`,
    ...(dead === 0 ? [] : [`${grouped(dead)} certificates were refused for good`]),
  ].join(', ');
}

function listed(...parts: readonly (readonly [count: number, what: string])[]): string {
  return parts
    .filter(([found]) => found > 0)
    .map(([found, what]) => `${grouped(found)} ${what}`)
    .join(', ');
}
