import { BUNDLE_TYPES, isSha256Hash, PROTOCOLS } from '@cer/cer-core';
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
  provider: 'provider',
  model: 'model',
  protocol_version: 'protocolVersion',
  status: 'status',
  timestamped: 'timestamped',
  log_proof: 'logProof',
  certificate_hash: 'certificateHash',
  execution_id: 'executionId',
  project_hash: 'projectHash',
  reviewed_hash: 'reviewedHash',
} as const;

type FilterName = keyof typeof FILTERS;

/** Labels of the producer. */
const MAX_LABEL_LENGTH = 256;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Reads query parameters, each known and given at most once. */
export class QueryReader {
  readonly faults: string[] = [];
  readonly #query: URLSearchParams;

  /**
   * A mistyped filter would be ignored without notice.
   * @param filters of the route; all when left out
   */
  constructor(query: URLSearchParams, others: readonly string[], filters: readonly string[] = Object.keys(FILTERS)) {
    this.#query = query;
    const taken = Object.entries(FILTERS).filter(([name]) => filters.includes(name));
    const known: ReadonlySet<string> = new Set([...taken.flat(), ...others]);
    if ([...query.keys()].some((name) => !known.has(name))) {
      this.faults.push(`query: must have only ${[...taken.map(([name]) => name), ...others].join(', ')}`);
    }
  }

  single(name: string, otherName = name): string | undefined {
    const values = [...this.#query.getAll(name), ...(otherName === name ? [] : this.#query.getAll(otherName))];
    if (values.length > 1) this.faults.push(`${name}: must be given once`);
    return values[0];
  }

  /** The value of a filter; one that breaks the rule is a fault. */
  filter(name: FilterName, rule: string, isValid: (value: string) => boolean): string | undefined {
    const value = this.single(name, FILTERS[name]);
    if (value === undefined || isValid(value)) return value;
    this.faults.push(`${name}: ${rule}`);
    return undefined;
  }

  /** @throws ServiceError VALIDATION_ERROR with every fault */
  end(): void {
    if (this.faults.length > 0) throw validationError(this.faults);
  }
}

/** Reads the filters of a list; faults are left with the reader. @see docs/spec.md, "GET /v1/records" */
export function readRecordQuery(reader: QueryReader): RecordQuery {
  const labelOf = (name: FilterName) =>
    reader.filter(name, `must have 1 to ${MAX_LABEL_LENGTH} characters`, (text) => {
      return text !== '' && text.length <= MAX_LABEL_LENGTH;
    });
  const hashOf = (name: FilterName) =>
    reader.filter(name, 'must be sha256: and 64 lower case hex digits', (text) => isSha256Hash(text));
  const isSet = (name: FilterName) => reader.filter(name, 'must be true', (text) => text === 'true') === 'true';
  const times = readTimes(reader);
  const members = {
    appId: labelOf('app_id'),
    provider: labelOf('provider'),
    model: labelOf('model'),
    executionId: labelOf('execution_id'),
    certificateHash: hashOf('certificate_hash'),
    projectHash: hashOf('project_hash'),
    reviewedHash: hashOf('reviewed_hash'),
    bundleType: reader.filter('bundle_type', 'must be a known bundle type', (text) => BUNDLE_TYPES.has(text)),
    protocolVersion: reader.filter('protocol_version', 'must be a known protocol version', (text) =>
      PROTOCOLS.has(text),
    ),
  };
  const status = reader.filter('status', 'must be visible or hidden', (text) => isStatus(text));
  return {
    ...times,
    ...present(members),
    ...(isStatus(status) && { status }),
    ...(isSet('timestamped') && { timestamped: true }),
    ...(isSet('log_proof') && { logProof: true }),
  };
}

function readTimes(reader: QueryReader): Pick<RecordQuery, 'attestedFrom' | 'attestedTo'> {
  const timeOf = (name: 'attested_from' | 'attested_to'): string | undefined => {
    const rule = 'must be a date or a time, no finer than a millisecond';
    const text = reader.filter(name, rule, (value) => millisecondTime(value) !== null);
    return text === undefined ? undefined : (millisecondTime(text) ?? undefined);
  };
  const attestedFrom = timeOf('attested_from');
  const attestedTo = timeOf('attested_to');
  if (attestedFrom !== undefined && attestedTo !== undefined && attestedFrom >= attestedTo) {
    reader.faults.push('attested_to: must be later than attested_from');
  }
  return present({ attestedFrom, attestedTo });
}

function isStatus(text: string | undefined): text is 'visible' | 'hidden' {
  return text === 'visible' || text === 'hidden';
}

/** Without the members that are undefined. */
function present<Name extends string>(
  members: Readonly<Record<Name, string | undefined>>,
): { readonly [member in Name]?: string } {
  const kept: { [member in Name]?: string } = {};
  for (const name of Object.keys(members) as Name[]) {
    const value = members[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
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
