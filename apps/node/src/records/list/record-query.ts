import { BUNDLE_TYPES } from '@cer/cer-core';
import { validationError } from '@cer/http-service';
import { compareTimestamps, parseTimestamp } from '@cer/keys';
import type { RecordFilter } from '../../store/index.js';

/** The filters of a list. */
export type RecordQuery = Omit<RecordFilter, 'tenantId'>;

/** Query parameters: snake case is the interface, camel case is accepted. */
const FILTERS = {
  attested_from: 'attestedFrom',
  attested_to: 'attestedTo',
  app_id: 'appId',
  bundle_type: 'bundleType',
  status: 'status',
} as const;

const MAX_APP_ID_LENGTH = 256;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Reads query parameters, each known and given at most once. */
export class QueryReader {
  readonly faults: string[] = [];
  readonly #query: URLSearchParams;

  /** A mistyped filter would be ignored without notice. */
  constructor(query: URLSearchParams, others: readonly string[]) {
    this.#query = query;
    const known: ReadonlySet<string> = new Set([...Object.entries(FILTERS).flat(), ...others]);
    if ([...query.keys()].some((name) => !known.has(name))) {
      this.faults.push(`query: must have only ${[...Object.keys(FILTERS), ...others].join(', ')}`);
    }
  }

  single(name: string, otherName = name): string | undefined {
    const values = [...this.#query.getAll(name), ...(otherName === name ? [] : this.#query.getAll(otherName))];
    if (values.length > 1) this.faults.push(`${name}: must be given once`);
    return values[0];
  }

  /** @throws ServiceError VALIDATION_ERROR with every fault */
  end(): void {
    if (this.faults.length > 0) throw validationError(this.faults);
  }
}

/** Reads the filters of a list; faults are left with the reader. @see docs/spec.md, "GET /v1/records" */
export function readRecordQuery(reader: QueryReader): RecordQuery {
  const valueOf = (name: keyof typeof FILTERS): string | undefined => reader.single(name, FILTERS[name]);
  const fault = (name: keyof typeof FILTERS, rule: string): void => {
    reader.faults.push(`${name}: ${rule}`);
  };
  const timeOf = (name: 'attested_from' | 'attested_to'): string | undefined => {
    const text = valueOf(name);
    const time = text === undefined ? undefined : millisecondTime(text);
    if (time === null) fault(name, 'must be a date or a time, no finer than a millisecond');
    return time ?? undefined;
  };
  const attestedFrom = timeOf('attested_from');
  const attestedTo = timeOf('attested_to');
  if (attestedFrom !== undefined && attestedTo !== undefined && attestedFrom >= attestedTo) {
    fault('attested_to', 'must be later than attested_from');
  }
  const appId = valueOf('app_id');
  if (appId !== undefined && (appId === '' || appId.length > MAX_APP_ID_LENGTH)) {
    fault('app_id', `must have 1 to ${MAX_APP_ID_LENGTH} characters`);
  }
  const bundleType = valueOf('bundle_type');
  if (bundleType !== undefined && !BUNDLE_TYPES.has(bundleType)) fault('bundle_type', 'must be a known bundle type');
  const status = valueOf('status');
  const known = status === 'visible' || status === 'hidden' ? status : undefined;
  if (status !== known) fault('status', 'must be visible or hidden');
  return {
    ...(attestedFrom !== undefined && { attestedFrom }),
    ...(attestedTo !== undefined && { attestedTo }),
    ...(appId !== undefined && { appId }),
    ...(bundleType !== undefined && { bundleType }),
    ...(known !== undefined && { status: known }),
  };
}

/** In the node's own time format, so that texts compare like times; a date means its start in UTC. */
function millisecondTime(text: string): string | null {
  const stated = day.test(text) ? `${text}T00:00:00Z` : text;
  const time = parseTimestamp(stated);
  const date = new Date(stated);
  if (time === null || Number.isNaN(date.getTime())) return null;
  const written = date.toISOString();
  const same = parseTimestamp(written);
  return same !== null && compareTimestamps(time, same) === 0 ? written : null;
}
