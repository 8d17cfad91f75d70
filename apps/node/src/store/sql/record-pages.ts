import { BUNDLE_TYPES } from '@cer/cer-core';

import type { Database, SqlValue } from './database.js';
import type { RecordFilter, RecordPlace, RecordSnapshot } from '../ports/record-list.js';

export const FIRST_ATTESTED = 'coalesce(first_attested_at, attested_at)';

/** Lower and upper bound of all stored times. */
const BEGINNING = '0000-01-01T00:00:00.000Z';
const END = '9999-12-31T23:59:59.999Z';

/** A page as a statement: its text and its parameters. */
export interface PageStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The database of a page, and its last record. */
export type PageLimits = RecordSnapshot & Pick<Database, 'dialect'>;

/**
 * Columns with their own list index, those with the most values first: the first that is asked for leads, so that few
 * rows have its value. On SQLite the index of each has those after it too, on PostgreSQL all others.
 */
const LEADS = [
  ['model', 'model'],
  ['appId', 'app_id'],
  ['provider', 'provider'],
  ['protocolVersion', 'protocol_version'],
] as const;

/**
 * The statement for a page. Each type and visibility is one sorted run of an index; the runs are merged, so that the
 * database reads rows that it discards only for a second filter of one index. A filter that names few records is
 * looked up, and these are sorted.
 */
export function pageStatement(
  filter: RecordFilter,
  order: 'oldest' | 'newest',
  after: RecordPlace | null,
  limit: number,
  { lastSeq, dialect }: PageLimits,
): PageStatement {
  const { tenantId, bundleType, status, attestedFrom, attestedTo } = filter;
  const isOldest = order === 'oldest';
  const first = { time: (isOldest ? attestedFrom : attestedTo) ?? (isOldest ? BEGINNING : END), seq: 0 };
  const start = after === null || after.time < first.time === isOldest ? first : after;
  const end = isOldest ? (attestedTo ?? END) : (attestedFrom ?? BEGINNING);
  const values: SqlValue[] = [tenantId, start.time, start.seq, end, lastSeq, limit];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const [past, until, direction] = isOldest ? ['>', '<', 'asc'] : ['<', '>=', 'desc'];
  const sorted = `order by first_attested ${direction}, seq ${direction} limit $6`;
  const named = namedSeqs(filter, dialect, parameter);
  const common = [...valueConditions(filter, named !== null, dialect, parameter), ...stateConditions(filter)];
  const types = (bundleType === undefined ? [...BUNDLE_TYPES.keys()] : [bundleType]).map(parameter);
  const statuses = status === undefined ? ['visible', 'hidden'] : [status];
  const kinds =
    named === null
      ? types.flatMap((type) => statuses.map((shown) => [`bundle_type = ${type}`, `visibility = '${shown}'`]))
      : [[`bundle_type in (${types.join(', ')})`, `visibility in (${statuses.map((s) => `'${s}'`).join(', ')})`]];
  const source = named === null ? 'records' : `(${named}) as named cross join records`;
  // The first of the two lower bounds is for SQLite, which does not use the pair as one bound.
  const runs = kinds.map(
    (kind) => `
        select * from (
          select seq, ${FIRST_ATTESTED} as first_attested from ${source}
          where ${[...(named === null ? [] : ['seq = named_seq']), 'tenant_id = $1', ...kind, ...common].join(' and ')}
            and ${FIRST_ATTESTED} ${past}= $2 and (${FIRST_ATTESTED}, seq) ${past} ($2, $3)
            and ${FIRST_ATTESTED} ${until} $4 and seq <= $5
          ${sorted}
        ) as run`,
  );
  return { sql: `select seq, first_attested from (${runs.join(' union all ')}) as found ${sorted}`, values };
}

type Parameter = (value: SqlValue) => string;

/**
 * One column leads to its index, or the timestamp does. SQLite has no statistics: the others are hidden from its planner,
 * which must not take theirs, and are read from the index of the first. PostgreSQL never reads an expression from an
 * index on another one, but compares columns in it; its planner takes whichever index it expects to be the shortest.
 */
function valueConditions(
  filter: RecordFilter,
  isNamed: boolean,
  dialect: Database['dialect'],
  parameter: Parameter,
): readonly string[] {
  const asked = LEADS.flatMap(([member, column]) => {
    const value = filter[member];
    return value === undefined ? [] : [[column, parameter(value)] as const];
  });
  const isCompared = (at: number): boolean =>
    !isNamed && (dialect === 'postgres' || (at === 0 && filter.timestamped !== true));
  return asked.map(([column, value], at) => (isCompared(at) ? `${column} = ${value}` : `${column} || '' = ${value}`));
}

function stateConditions({ timestamped, logProof }: RecordFilter): readonly string[] {
  return [
    ...(timestamped === true ? ['stamped_at is not null'] : []),
    ...(logProof === true
      ? [
          `exists (select 1 from log_leaves l
             where l.source = 'record' and l.source_seq = records.seq and l.log_index is not null)`,
        ]
      : []),
  ];
}

/** Selects the few records that a hash, an execution, a project or a reviewed hash names; null for other filters. */
function namedSeqs(filter: RecordFilter, dialect: Database['dialect'], parameter: Parameter): string | null {
  const { certificateHash, executionId, projectHash, reviewedHash } = filter;
  const steps =
    dialect === 'sqlite' ? 'json_each(p.step_hashes_json)' : 'json_array_elements(p.step_hashes_json::json)';
  const sources = [
    ...(certificateHash === undefined ? [] : [ofHash(parameter(certificateHash))]),
    ...(executionId === undefined ? [] : [ofExecution(parameter(executionId))]),
    ...(projectHash === undefined ? [] : [ofProject(parameter(projectHash), steps)]),
    ...(reviewedHash === undefined ? [] : [ofReviewed(parameter(reviewedHash))]),
  ];
  return sources.length === 0
    ? null
    : sources.map((source) => `select named_seq from (${source}) as found`).join(' intersect ');
}

function ofHash(hash: string): string {
  return `select h.seq as named_seq from records h where h.certificate_hash = ${hash} and h.tenant_id = $1
    union select h.seq from records h where h.resealed_certificate_hash = ${hash} and h.tenant_id = $1`;
}

function ofExecution(executionId: string): string {
  return `select r.seq as named_seq from executions e
    join records r on r.certificate_hash = e.certificate_hash and r.kind = 'full' and r.tenant_id = e.tenant_id
    where e.tenant_id = $1 and e.execution_id = ${executionId}`;
}

/** A step is stored as `[stepId, certificateHash]`. */
function ofProject(projectHash: string, steps: string): string {
  return `select distinct r.seq as named_seq from projects p cross join ${steps} as step cross join records r
    where r.certificate_hash = step.value ->> 1 and r.kind = 'full' and r.tenant_id = p.tenant_id
      and p.project_hash = ${projectHash} and p.tenant_id = $1 and p.visibility <> 'deleted'`;
}

function ofReviewed(hash: string): string {
  return `select v.seq as named_seq from records v where v.reviewed_hash = ${hash} and v.tenant_id = $1`;
}
