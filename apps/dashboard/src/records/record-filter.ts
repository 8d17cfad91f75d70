import { isSha256Hash } from '@cer/cer-core';
import { ServiceError } from '@cer/http-service';
import { compareTimestamps, isTimestamp, parseTimestamp } from '@cer/keys';
import type { FormFault } from '../web/form.js';

/** The filters of the page, each one of the node's. @see docs/spec.md, "GET /v1/records" */
const FILTER_NAMES = [
  'attested_from',
  'attested_to',
  'app_id',
  'provider',
  'model',
  'bundle_type',
  'protocol_version',
  'status',
  'timestamped',
  'log_proof',
  'reviewed_hash',
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** The query parameters of a page about records. */
export const QUESTION: readonly string[] = ['search', ...FILTER_NAMES];

const MAX_LENGTH = 256;

const date = /^\d{4}-\d{2}-\d{2}$/;
const DATE_RULE = 'must be a day, such as 2026-01-31';
const HASH_RULE = 'must be a whole hash: sha256: and 64 lower-case hex digits';

/** The filters that a reader of the page set. */
export interface RecordQuestion {
  /** A hash or an executionId; empty for none. */
  readonly search: string;
  readonly filters: ReadonlyMap<FilterName, string>;
}

/** The query of the page as it was typed, faults included. A form sends every field, empty ones too. */
export function typedQuestion(query: URLSearchParams): RecordQuestion {
  const filters = FILTER_NAMES.flatMap((name) => {
    const value = query.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return { search: (query.get('search') ?? '').trim(), filters: new Map(filters) };
}

/** A date, which means its first moment in UTC, as a time; a time as it is. */
function timeOf(value: string): string {
  return date.test(value) ? `${value}T00:00:00Z` : value;
}

function isEmptyTime(filters: RecordQuestion['filters']): boolean {
  const [from, to] = (['attested_from', 'attested_to'] as const).map((name) => {
    return parseTimestamp(timeOf(filters.get(name) ?? ''));
  });
  return from != null && to != null && compareTimestamps(from, to) >= 0;
}

/** A filter that is left out would find more records than were asked for, in lists, exports and shared links. */
export function filterFaults({ search, filters }: RecordQuestion): readonly FormFault[] {
  const faultIf = (isWrong: boolean, field: FilterName | 'search', sentence: string): readonly FormFault[] =>
    isWrong ? [{ field, sentence }] : [];
  return [
    ...faultIf(search.length > MAX_LENGTH, 'search', `Search must have at most ${MAX_LENGTH} characters.`),
    ...[...filters].flatMap(([name, value]) => [
      ...faultIf(value.length > MAX_LENGTH, name, `A filter must have at most ${MAX_LENGTH} characters.`),
      ...faultIf(name === 'attested_from' && !isTimestamp(timeOf(value)), name, `From ${DATE_RULE}.`),
      ...faultIf(name === 'attested_to' && !isTimestamp(timeOf(value)), name, `Before ${DATE_RULE}.`),
      ...faultIf(name === 'attested_to' && isEmptyTime(filters), name, 'Before must be later than From.'),
      ...faultIf(name === 'reviewed_hash' && !isSha256Hash(value), name, `Reviews of ${HASH_RULE}.`),
    ]),
  ];
}

/**
 * Reads the query of a page that exports or shares records. A mistyped filter would make it more of them.
 * @param others parameters of the page that are no filters
 * @throws ServiceError VALIDATION_ERROR as `readQuestion`, and for a parameter that is unknown or given twice
 */
export function readWholeQuestion(query: URLSearchParams, others: readonly string[] = []): RecordQuestion {
  const names = [...query.keys()];
  const unknown = names.find((name) => !QUESTION.includes(name) && !others.includes(name));
  if (unknown !== undefined) throw unusable(`${unknown.slice(0, MAX_LENGTH)}: is no filter.`);
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw unusable(`${repeated}: is given twice.`);
  return readQuestion(query);
}

/**
 * Reads the filters of a query, and nothing else of it.
 * @throws ServiceError VALIDATION_ERROR for a filter that cannot be used
 */
export function readQuestion(query: URLSearchParams): RecordQuestion {
  const question = typedQuestion(query);
  const [fault] = filterFaults(question);
  if (fault !== undefined) throw unusable(fault.sentence);
  return question;
}

function unusable(message: string): ServiceError {
  return new ServiceError({ code: 'VALIDATION_ERROR', message });
}

/** The same filters as the query of a link to this page. */
export function pageQuery({ search, filters }: RecordQuestion): URLSearchParams {
  return new URLSearchParams({ ...(search !== '' && { search }), ...Object.fromEntries(filters) });
}

/**
 * The node's queries, of which the next one is asked when one finds none: a hash may be that of a certificate or of a
 * project, or an executionId.
 */
export function nodeQueries({ search, filters }: RecordQuestion): readonly URLSearchParams[] {
  const named = search === '' ? [null] : namesOf(search);
  return named.map((name) => new URLSearchParams([...filters, ...(name === null ? [] : [name])]));
}

function namesOf(search: string): readonly [name: string, value: string][] {
  const hash = /^[0-9a-f]{64}$/i.test(search) ? `sha256:${search.toLowerCase()}` : search;
  return isSha256Hash(hash)
    ? [
        ['certificate_hash', hash],
        ['project_hash', hash],
        // An executionId may read as a hash.
        ['execution_id', search],
      ]
    : [['execution_id', search]];
}
