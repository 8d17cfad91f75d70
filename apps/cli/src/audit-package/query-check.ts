import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import { formatCursor, type AuditPackageManifest } from '@cer/cer-core/logs';
import { parseTimestamp } from '@cer/keys';
import type { PackageFindings } from './package-finding.js';

/** Compares each record's line with the order and query in the manifest, with one record in memory at a time. */
export class QueryCheck {
  readonly #manifest: AuditPackageManifest | null;
  readonly #findings: PackageFindings;
  #count = 0;
  #first: string | null = null;
  #last: string | null = null;
  #time = '';
  /** The cursors of the current time: a repeated record has the same time. */
  #atTime = new Set<string>();

  constructor(manifest: AuditPackageManifest | null, findings: PackageFindings) {
    this.#manifest = manifest;
    this.#findings = findings;
  }

  get count(): number {
    return this.#count;
  }

  add(place: string, line: JsonObject): void {
    this.#count += 1;
    const fault = this.#orderFault(line) ?? this.#queryFault(line);
    if (fault !== null) this.#findings.add('RECORDS_MISMATCH', place, fault);
  }

  /** After the last record. */
  end(): void {
    if (this.#manifest === null) return;
    const { count, firstCursor, lastCursor } = this.#manifest;
    if (this.#count !== count) {
      this.#findings.add('RECORDS_MISMATCH', '', `holds ${this.#count} records, the manifest says ${count}`);
    }
    if (this.#first !== firstCursor)
      this.#findings.add('RECORDS_MISMATCH', '', 'begins with another record than stated');
    if (this.#last !== lastCursor) this.#findings.add('RECORDS_MISMATCH', '', 'ends with another record than stated');
  }

  #orderFault(line: JsonObject): string | null {
    const [hash, kind, cursor, time] = ['certificateHash', 'kind', 'cursor', 'firstAttestedAt'].map((name) =>
      member(line, name),
    );
    if (typeof time !== 'string' || parseTimestamp(time) === null) return 'firstAttestedAt: must be a time';
    if (!isSha256Hash(hash) || typeof kind !== 'string' || formatCursor({ certificateHash: hash, kind }) !== cursor) {
      return 'cursor: must name this record';
    }
    this.#first ??= cursor;
    this.#last = cursor;
    if (time < this.#time) return 'is out of order: the record before it is newer';
    if (time > this.#time) this.#atTime = new Set();
    this.#time = time;
    if (this.#atTime.has(cursor)) return 'is in the package more than once';
    this.#atTime.add(cursor);
    return null;
  }

  #queryFault(line: JsonObject): string | null {
    const receipt = member(line, 'receipt');
    const stated = isJsonObject(receipt) ? member(receipt, 'timestamp') : undefined;
    if (member(line, 'attestedAt') !== stated) return 'attestedAt: differs from the time in the receipt';
    if (this.#manifest === null) return null;
    const { attestedFrom, attestedTo, appId, bundleType, status } = this.#manifest.query;
    const fits =
      (attestedFrom === null || this.#time >= attestedFrom) &&
      (attestedTo === null || this.#time < attestedTo) &&
      (appId === null || member(line, 'appId') === appId) &&
      (bundleType === null || member(line, 'bundleType') === bundleType) &&
      (status === null || member(line, 'status') === status);
    return fits ? null : 'does not fit what was asked for';
  }
}
