import { keyFingerprint, type KeyEntry, type NodeKeySet } from '@cer/keys';
import { row, rows, type Row } from './lay-out.js';
import { printable } from '../printable.js';
import { section, type Page } from './sections.js';

/** A key as shown: its life, and its fingerprint or why it cannot be used. */
export function describeKey({ key, ...life }: KeyEntry): object {
  return key.usable
    ? { ...life, fingerprint: keyFingerprint(key.publicKey) }
    : { ...life, fingerprint: null, unusable: key.reason };
}

/** Each key of a set under its own title. */
export function keySections({ entries }: NodeKeySet, page: Page): string[] {
  return [...entries.values()].map((entry) =>
    section(`Key ${printable(entry.kid)}`, rows(keyEntryRows(entry), page.width), page),
  );
}

function keyEntryRows(entry: KeyEntry): readonly Row[] {
  const { key, status } = entry;
  const times = [
    ['Signs from', entry.notBefore],
    ['Retired', entry.retiredAt],
    ['Revoked', entry.revokedAt],
    ['Compromised', entry.compromisedSince],
    ['Reason', entry.revocationReason],
  ] as const;
  return [
    ['Status', key.usable ? status : `${status}, unusable: ${printable(key.reason)}`],
    ...(key.usable ? [row('Fingerprint', keyFingerprint(key.publicKey))] : []),
    ...times.flatMap(([label, text]) => (text === undefined ? [] : [row(label, printable(text))])),
  ];
}
