import type { Finding } from '@cer/cer-core';
import type { LayerOutcome } from '@cer/cer-core/verify';
import type { KeyLookup, KeyVoucher } from '../trusted-keys/key-material.js';
import { adviceFor } from './advice.js';
import { paragraph, row, wrap, type Row } from './lay-out.js';
import type { Paint } from './paint.js';
import { printable } from '../printable.js';

/** How and where a report is written. */
export interface Page {
  readonly paint: Paint;
  readonly width: number;
}

/** Maximum findings shown; further ones are only counted. */
const MAX_FINDINGS = 20;

export function section(title: string, body: string, { paint }: Page): string {
  return body === '' ? '' : `\n${paint.strong(title)}\n${body}`;
}

/** PASS, FAIL or SKIPPED, a name, and a sentence that says what it means. */
export function checkLine(
  name: string,
  { status }: Pick<LayerOutcome, 'status'>,
  sentence: string,
  { paint, width }: Page,
): string {
  const colour = { PASS: paint.good, FAIL: paint.bad, SKIPPED: paint.quiet }[status];
  const label = status.toLowerCase().padEnd(8);
  return `  ${colour(label)} ${name.padEnd(10)} ${wrap(sentence, width, ' '.repeat(22))}\n`;
}

/** The findings, with member and hashes, and advice for the first of them. */
export function faultSections(findings: readonly Finding[], { unavailable }: KeyLookup, page: Page): string {
  const shown = findings.slice(0, MAX_FINDINGS).map((finding) => faultLines(finding, page));
  const left = findings.length - shown.length;
  const more = left > 0 ? paragraph(`... and ${left} more`, page.width) : '';
  const [first] = findings;
  const advice = first === undefined ? '' : paragraph(adviceFor(first.code, unavailable), page.width);
  return section('What is wrong', shown.join('') + more, page) + section('What to do next', advice, page);
}

function faultLines({ member, detail, code, expected, computed }: Finding, { width }: Page): string {
  const where = member === '' ? 'the file' : printable(member);
  return (
    paragraph(`${where}: ${printable(detail)} [${code}]`, width) +
    (expected === undefined ? '' : `    expected  ${printable(expected)}\n`) +
    (computed === undefined ? '' : `    computed  ${printable(computed)}\n`)
  );
}

/** Where the keys came from and when: the reader's own trust begins there. */
export function keyRows({ material, unavailable }: KeyLookup): readonly Row[] {
  if (material === null) {
    const why = unavailable === null ? 'none were given (--keys FILE or --keys URL)' : printable(unavailable, 1000);
    return [['Keys', why]];
  }
  const { keySet, source, voucher } = material;
  const { kind, from, date } = source;
  const when = date === null ? '' : kind === 'file' ? `, last changed ${date}` : `, fetched ${date}`;
  const isOpen = kind === 'url' && from.startsWith('http:');
  return [
    ['Keys from', `${kind === 'file' ? 'file' : 'address'} ${printable(from)}${when}`],
    ...(isOpen ? [row('', 'over http: an attacker on the network could have changed them')] : []),
    [
      'Keys of',
      `node ${printable(keySet.nodeId)}, ${voucher === undefined ? 'as the key set says' : 'as a root vouches'}`,
    ],
    ...(voucher === undefined ? [] : voucherRows(voucher)),
  ];
}

/** Which root vouches for the keys, up to when, and remarks about it. */
export function voucherRows({ rootFingerprint, revocationsKnownUntil, notices }: KeyVoucher): readonly Row[] {
  return [
    ['Root', rootFingerprint],
    ['Known until', `${revocationsKnownUntil}; of revocations after that, this says nothing`],
    ...notices.map(({ member, detail }) => row('Note', member === '' ? detail : `${member} ${detail}`)),
  ];
}
