import { isJsonObject, JsonError, member, parseJson, type JsonObject } from '@cer/canonical-json';
import { effectiveProtocolVersion, isSha256Hash, REDACTED } from '@cer/cer-core';
import { counted } from '@cer/cer-core/wording';
import { formatCursor, type AuditPackageManifest, type AuditPackageQuery } from '@cer/cer-core/logs';
import { reviewOf } from '@cer/cer-core/review';
import { isTimestamp } from '@cer/keys';
import type { PackageFindings } from './package-finding.js';

const UNASKED = 'does not fit what was asked for';

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

  /**
   * @param line of the receipt
   * @param certificate its JSON text, read only for a query about its content
   */
  add(place: string, line: JsonObject, certificate: Uint8Array): void {
    this.#count += 1;
    const fault = this.#orderFault(line) ?? this.#queryFault(line) ?? this.#contentFault(certificate);
    if (fault !== null) this.#findings.add('RECORDS_MISMATCH', place, fault);
  }

  /** After the last record. */
  end(): void {
    if (this.#manifest === null) return;
    const { count, firstCursor, lastCursor } = this.#manifest;
    if (this.#count !== count) {
      this.#findings.add('RECORDS_MISMATCH', '', `holds ${counted(this.#count, 'record')}, the manifest says ${count}`);
    }
    if (this.#first !== firstCursor)
      this.#findings.add('RECORDS_MISMATCH', '', 'begins with another record than stated');
    if (this.#last !== lastCursor) this.#findings.add('RECORDS_MISMATCH', '', 'ends with another record than stated');
  }

  #orderFault(line: JsonObject): string | null {
    const [hash, kind, cursor, time] = ['certificateHash', 'kind', 'cursor', 'firstAttestedAt'].map((name) =>
      member(line, name),
    );
    if (!isTimestamp(time)) return 'firstAttestedAt: must be a time';
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
    const { attestedFrom, attestedTo, appId, bundleType, status, executionId } = this.#manifest.query;
    const fits =
      (attestedFrom === null || this.#time >= attestedFrom) &&
      (attestedTo === null || this.#time < attestedTo) &&
      (appId === null || member(line, 'appId') === appId) &&
      (executionId === undefined || member(line, 'executionId') === executionId) &&
      (bundleType === null || member(line, 'bundleType') === bundleType) &&
      (status === null || member(line, 'status') === status);
    return fits ? null : UNASKED;
  }

  #contentFault(certificate: Uint8Array): string | null {
    const query = this.#manifest?.query;
    if (query === undefined || !asksForContent(query)) return null;
    const { provider, model, protocolVersion, reviewedHash } = query;
    const bundle = objectOf(certificate);
    const snapshot = member(bundle, 'snapshot');
    // A reseal may withhold what the query names.
    const isAsked = (name: string, asked: string | undefined): boolean => {
      const value = isJsonObject(snapshot) ? member(snapshot, name) : undefined;
      return asked === undefined || value === asked || value === REDACTED;
    };
    const version = effectiveProtocolVersion(isJsonObject(snapshot) ? member(snapshot, 'protocolVersion') : undefined);
    const fits =
      isAsked('provider', provider) &&
      isAsked('model', model) &&
      (protocolVersion === undefined || version === protocolVersion) &&
      isReviewOf(bundle, reviewedHash);
    return fits ? null : UNASKED;
  }
}

function asksForContent({ provider, model, protocolVersion, reviewedHash }: AuditPackageQuery): boolean {
  return [provider, model, protocolVersion, reviewedHash].some((asked) => asked !== undefined);
}

/** A reseal may withhold the signal that names the reviewed hash. */
function isReviewOf(bundle: JsonObject, reviewedHash: string | undefined): boolean {
  if (reviewedHash === undefined || member(bundle, 'context') === REDACTED) return true;
  return reviewOf(bundle)?.reviewed === reviewedHash;
}

/** An empty object in place of any other value, which verification reports. */
function objectOf(certificate: Uint8Array): JsonObject {
  try {
    const value = parseJson(certificate);
    return isJsonObject(value) ? value : {};
  } catch (error) {
    if (error instanceof JsonError) return {};
    throw error;
  }
}
