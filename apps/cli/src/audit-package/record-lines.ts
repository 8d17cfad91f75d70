import { member } from '@cer/canonical-json';
import type { AuditPackageEntry, AuditPackageManifest } from '@cer/cer-core/logs';
import { byteLines, type ByteLine } from '@cer/ndjson';
import type { ZipFile } from 'yauzl';
import type { Chunk } from '../batch/batch-settings.js';
import { jsonObjectIn } from '../files/json-object.js';
import { entryContent } from './entry-content.js';
import { LoggedReceipts } from './log-lines.js';
import { PackageRefused, type PackageFindings } from './package-finding.js';
import type { QueryCheck } from './query-check.js';
import { RecordTally } from './record-tally.js';
import type { SafeEntry, SoundZip } from './zip-structure.js';

/** Enough for a thread to be busy for some milliseconds. */
const RECORDS_PER_CHUNK = 64;
const BYTES_PER_CHUNK = 1024 * 1024;
const part = /^(certificates|receipts)\/(\d{6,})\.ndjson$/;

/** The settings for reading the lines of a package. */
export interface LineReading {
  readonly zip: ZipFile;
  readonly entries: ReadonlyMap<string, SafeEntry>;
  /** The manifest's entries by name. */
  readonly listed: ReadonlyMap<string, AuditPackageEntry>;
  readonly findings: PackageFindings;
  /** A longer line is refused. */
  readonly maxBytes: number;
  readonly query: QueryCheck;
  /** Collects the receipts that the log must hold. */
  readonly receipts: LoggedReceipts;
  /** Counts the records, which the coverage must have. */
  readonly tally: RecordTally;
}

export function lineReading(
  { zip, entries }: SoundZip,
  manifest: AuditPackageManifest | null,
  findings: PackageFindings,
  query: QueryCheck,
  maxBytes: number,
): LineReading {
  return {
    zip,
    entries: new Map(entries.map((entry) => [entry.name, entry])),
    listed: new Map(manifest?.entries.map((entry) => [entry.name, entry])),
    findings,
    query,
    receipts: new LoggedReceipts(),
    tally: new RecordTally(),
    maxBytes,
  };
}

/** The numbers of the parts, in order. A missing counterpart shows when its lines are read. */
function partNumbers({ entries, findings }: LineReading): readonly string[] {
  const numbers = new Set(
    [...entries.keys()].map((name) => part.exec(name)?.[2]).filter((found) => found !== undefined),
  );
  const sorted = [...numbers].sort((a, b) => Number(a) - Number(b));
  sorted.forEach((found, index) => {
    if (Number(found) !== index + 1) findings.add('RECORDS_MISMATCH', '', `part ${index + 1} is not here`);
  });
  return sorted;
}

/** Each certificate with its receipt as a separate package, in chunks that threads verify. */
export async function* recordChunks(reading: LineReading): AsyncGenerator<Chunk> {
  let items: { name: string; bytes: Uint8Array; levelsAround: number }[] = [];
  let bytes = 0;
  for (const number of partNumbers(reading)) {
    const name = `certificates/${number}.ndjson`;
    const receipts = linesOf(reading, `receipts/${number}.ndjson`);
    const certificates = linesOf(reading, name);
    for (;;) {
      const [certificate, receipt] = [(await certificates.next()).value, (await receipts.next()).value];
      if (certificate === undefined && receipt === undefined) break;
      const place = `${name}:${certificate?.number ?? receipt?.number ?? 0}`;
      const joined = join(reading, place, certificate, receipt);
      if (joined === null) continue;
      items.push({ name: place, bytes: joined, levelsAround: 1 });
      bytes += joined.length;
      if (items.length < RECORDS_PER_CHUNK && bytes < BYTES_PER_CHUNK) continue;
      yield { items, progress: items.length };
      items = [];
      bytes = 0;
    }
  }
  if (items.length > 0) yield { items, progress: items.length };
}

async function* linesOf(
  { zip, entries, listed, findings, maxBytes }: LineReading,
  name: string,
): AsyncGenerator<ByteLine, undefined> {
  const entry = entries.get(name);
  if (entry !== undefined) {
    const content = entryContent(zip, entry, listed.get(name) ?? null, findings);
    for await (const lines of byteLines(content, maxBytes)) yield* lines;
  }
  return undefined;
}

function join(
  { findings, maxBytes, query, receipts, tally }: LineReading,
  place: string,
  certificate: ByteLine | undefined,
  receipt: ByteLine | undefined,
): Uint8Array | null {
  if (certificate === undefined || receipt === undefined || certificate.number !== receipt.number) {
    findings.add('RECORDS_MISMATCH', place, 'a certificate lacks its receipt, or a receipt its certificate');
    return null;
  }
  if (certificate.bytes === null || receipt.bytes === null) {
    throw new PackageRefused('PACKAGE_TOO_LARGE', place, `a line has more than ${maxBytes} bytes`);
  }
  const line = jsonObjectIn(receipt.bytes);
  if (line === null) {
    findings.add('RECORDS_MISMATCH', place, 'its receipt is not a strict JSON object');
    return null;
  }
  query.add(place, line, certificate.bytes);
  receipts.add(place, line, certificate.bytes);
  tally.add(line);
  // cer-core accepts the two together, like the response of a lookup, and compares one with the other.
  const names = ['certificateHash', 'receipt', 'signature', 'kid'];
  if (typeof member(line, 'resealedCertificateHash') === 'string') names.push('resealedCertificateHash');
  const around = JSON.stringify(Object.fromEntries(names.map((name) => [name, member(line, name) ?? null])));
  // Alone it is not JSON, and verification says so.
  if (hasFurtherMembers(certificate.bytes)) return certificate.bytes;
  return Buffer.concat([Buffer.from(`${around.slice(0, -1)},"cer":`), certificate.bytes, Buffer.from('}')]);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Whether a line has a comma outside its value, so that it would be more than the value of one member. */
function hasFurtherMembers(line: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === COMMA && depth === 0) return true;
  }
  return false;
}

/** Reads every entry that is not a part, so that its hash is checked too. */
export async function readOthers({ zip, entries, listed, findings }: LineReading): Promise<void> {
  for (const [name, stated] of listed) {
    const entry = entries.get(name);
    if (entry === undefined || part.test(name)) continue;
    const content = entryContent(zip, entry, stated, findings);
    // Only its end matters.
    while ((await content.next()).done !== true);
  }
}
