import { isSha256Hash } from '@cer/cer-core';

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

/** A date, or the start of a time; the node checks the rest. */
const date = /^\d{4}-\d{2}-\d{2}/;

/** The filters that a reader of the page set. */
export interface RecordQuestion {
  /** A hash or an executionId; empty for none. */
  readonly search: string;
  readonly filters: ReadonlyMap<FilterName, string>;
}

/** Reads the query of the page. A form sends every field, empty ones too. */
export function readQuestion(query: URLSearchParams): RecordQuestion {
  const filters = FILTER_NAMES.flatMap((name) => {
    const value = query.get(name)?.trim() ?? '';
    const isWrong =
      value === '' ||
      value.length > 256 ||
      (name.startsWith('attested') && !date.test(value)) ||
      (name === 'reviewed_hash' && !isSha256Hash(value));
    return isWrong ? [] : [[name, value] as const];
  });
  return { search: (query.get('search') ?? '').trim().slice(0, 256), filters: new Map(filters) };
}

/** The same filters as the query of a link to this page. */
export function pageQuery({ search, filters }: RecordQuestion): URLSearchParams {
  return new URLSearchParams({ ...(search !== '' && { search }), ...Object.fromEntries(filters) });
}

/** The node's queries: a hash may be that of a certificate or of a project, so the next one is asked when one finds none. */
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
      ]
    : [['execution_id', search]];
}
