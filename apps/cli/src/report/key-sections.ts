import { keyFingerprint, type KeyEntry, type NodeKeySet } from '@cer/keys';
import { rows } from './lay-out.js';
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

function keyEntryRows(entry: KeyEntry): [string, string][] {
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
    ...(key.usable ? ([['Fingerprint', keyFingerprint(key.publicKey)]] as [string, string][]) : []),
    ...times.flatMap(([label, text]): [string, string][] => (text === undefined ? [] : [[label, printable(text)]])),
  ];
}
