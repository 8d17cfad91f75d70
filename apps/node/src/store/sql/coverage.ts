import type {
  ClientCounts,
  ClientReport,
  ClientStates,
  CoverageCount,
  CoverageQuery,
  CoverageStore,
  DeadLetters,
  ReportedDay,
  UncountedRange,
} from '../ports/coverage.js';
import { StoreError } from '../ports/store-error.js';
import type { Database, SqlRow, SqlStatement, SqlValue } from './database.js';
import { FIRST_ATTESTED } from './record-pages.js';
import { isStorable, text } from './record-rows.js';
import { retryPassing } from './retry.js';

/** Few enough to count between two requests: rows are large, and what is read of them is behind their content. */
const RECORDS_A_RANGE = 500;

/** The certificates that this repository's client makes of its counts. */
const IS_REPORT = "provider = '@cer/client' and model = 'coverage'";

const LAST = `select max(seq) as last from (
  select seq from records where seq > $1 and seq <= $2 order by seq limit ${RECORDS_A_RANGE}) as next`;
const CERTIFIED = `
  select tenant_id, substr(${FIRST_ATTESTED}, 1, 10) as day, coalesce(app_id, '') as app_id,
    case when ${IS_REPORT} then 'report' else 'certified' end as outcome, count(*) as count
  from records where seq > $1 and seq <= $2 group by 1, 2, 3, 4 order by 1, 2, 3, 4`;
const REPORTS = `
  select tenant_id, coalesce(bundle_json, public_cer_json) as json from records
  where seq > $1 and seq <= $2 and ${IS_REPORT} and visibility <> 'deleted' order by seq`;

const ADD_COUNT = `on conflict (tenant_id, day, app_id, outcome)
  do update set count = coverage_counts.count + excluded.count`;
const ADD_CERTIFIED = `insert into coverage_counts (tenant_id, day, app_id, outcome, count)
  values ($1, $2, $3, $4, $5) ${ADD_COUNT}`;
const ADD_REFUSED = `insert into coverage_counts (tenant_id, day, app_id, outcome, count)
  select $1, $2, case when exists (select 1 from coverage_counts c where c.tenant_id = $1 and c.app_id = $3)
    then $3 else '' end, $4, $5 where true ${ADD_COUNT}`;

type CountName = keyof ClientCounts;
const COUNTS: readonly CountName[] = [
  ...(['seen', 'sealed', 'aborted', 'failed', 'truncated', 'skipped', 'unsealed', 'dropped', 'dead'] as const),
];
const STATES: readonly (keyof ClientStates)[] = ['open', 'waiting'];
const REPORT_COLUMNS = ['tenant_id', 'client_id', 'day', 'app_id', 'report', 'is_last', ...COUNTS, ...STATES];
const ADD_REPORT = `
  insert into coverage_reports (${REPORT_COLUMNS.join(', ')})
  values (${REPORT_COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})
  on conflict (tenant_id, client_id, day) do update set
    ${REPORT_COLUMNS.slice(3)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}
  where coverage_reports.report < excluded.report`;

const DAYS = 'tenant_id = $1 and day >= $2 and day < $3';

const OF_APP = 'app_id = coalesce(cast($4 as text), app_id)';

/** Exported so that a test can check the query plans. */
const COVERAGE_COUNTS = `
  select tenant_id, day, app_id, outcome, count from coverage_counts where ${DAYS} and ${OF_APP}
  order by day, app_id, outcome limit $5`;
// After a clock was set back, a later day may have a smaller count, which counts as none.
const COVERAGE_REPORTED = `
  select day, app_id, count(*) as clients, sum(unclosed) as unclosed,
    ${[...COUNTS, ...STATES].map((name) => `sum(${name}) as ${name}`).join(', ')}
  from (
    select day, app_id, case when is_last = 0 and lead(day) over client is null then 1 else 0 end as unclosed,
      ${STATES.join(', ')},
      ${COUNTS.map((name) => `case when ${name} < lag(${name}) over client then 0 else ${name} - coalesce(lag(${name}) over client, 0) end as ${name}`).join(', ')}
    from coverage_reports
    where tenant_id = $1 and day < $3
      and client_id in (select client_id from coverage_reports where ${DAYS})
    window client as (partition by client_id order by day)
  ) as each_day
  where day >= $2 and ${OF_APP} group by day, app_id order by day, app_id limit $5`;

/**
 * Of the clients whose newest report has any: what they counted more than the day before. With an `exists`, SQLite
 * reads every report that there ever was, as it does for a `distinct` that the order of a key would serve.
 */
const DEAD_LETTERS = `
  select tenant_id, day, sum(dead) as dead from (
    select tenant_id, day,
      case when dead < lag(dead) over client then 0 else dead - coalesce(lag(dead) over client, 0) end as dead
    from (select distinct tenant_id || '' as tenant_id, client_id from coverage_reports
        where day >= $1 and dead > 0) as recent
      join coverage_reports as every_day using (tenant_id, client_id)
    window client as (partition by tenant_id, client_id order by day)
  ) as each_day
  where day >= $1 and dead > 0 group by tenant_id, day order by tenant_id, day`;

/** Coverage on either database. */
export class SqlCoverageStore implements CoverageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async uncounted(lastSeq: number): Promise<UncountedRange | null> {
    const [position] = await this.#run('select counted from coverage_position', []);
    const after = Number(position?.['counted'] ?? 0);
    const [end] = await this.#run(LAST, [after, lastSeq]);
    const last = end?.['last'] ?? null;
    if (last === null) return null;
    const upTo = Number(last);
    const [certified, reports] = [await this.#run(CERTIFIED, [after, upTo]), await this.#run(REPORTS, [after, upTo])];
    return {
      after,
      upTo,
      certified: certified.map(toCount),
      reports: reports.map((row) => ({ tenantId: text(row, 'tenant_id'), json: text(row, 'json') })),
    };
  }

  async addRange({ after, upTo, certified }: UncountedRange, reports: readonly ClientReport[]): Promise<boolean> {
    const statements: readonly SqlStatement[] = [
      {
        sql: 'update coverage_position set counted = $2 where counted = $1 returning counted',
        values: [after, upTo],
        mustReturn: 1,
      },
      ...certified.map((count) => ({ sql: ADD_CERTIFIED, values: countValues(count) })),
      ...reports.map((report) => ({ sql: ADD_REPORT, values: reportValues(report) })),
    ];
    try {
      await retryPassing(() => this.#database.transact(statements));
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'STORE_CONDITION_FAILED') return false;
      throw error;
    }
  }

  async addRefusals(refusals: readonly CoverageCount[]): Promise<void> {
    await this.#database.transact(refusals.map((count) => ({ sql: ADD_REFUSED, values: countValues(count) })));
  }

  async counts(query: CoverageQuery): Promise<readonly CoverageCount[]> {
    return (await this.#asked(COVERAGE_COUNTS, query)).map(toCount);
  }

  async reported(query: CoverageQuery): Promise<readonly ReportedDay[]> {
    return (await this.#asked(COVERAGE_REPORTED, query)).map(toReportedDay);
  }

  async deadLetters(from: string): Promise<readonly DeadLetters[]> {
    const rows = await this.#run(DEAD_LETTERS, [from]);
    return rows.map((row) => ({ tenantId: text(row, 'tenant_id'), day: text(row, 'day'), count: Number(row['dead']) }));
  }

  async #asked(sql: string, query: CoverageQuery): Promise<readonly SqlRow[]> {
    const { tenantId, from, to, appId = null, limit = Number.MAX_SAFE_INTEGER } = query;
    // No application has a name that no database can store.
    return appId === null || isStorable(appId) ? this.#run(sql, [tenantId, from, to, appId, limit]) : [];
  }

  #run(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return retryPassing(() => this.#database.all(sql, values));
  }
}

function countValues({ tenantId, day, appId, outcome, count }: CoverageCount): readonly SqlValue[] {
  return [tenantId, day, appId ?? '', outcome, count];
}

function reportValues(report: ClientReport): readonly SqlValue[] {
  const { tenantId, clientId, day, appId, isLast } = report;
  const numbers = [...COUNTS, ...STATES].map((name) => report[name]);
  return [tenantId, clientId, day, storableApp(appId), report.report, isLast ? 1 : 0, ...numbers];
}

/** An application whose name no database can store is none, as in the row of its record. */
function storableApp(appId: string | null): string {
  return appId !== null && isStorable(appId) ? appId : '';
}

function toCount(row: SqlRow): CoverageCount {
  return {
    tenantId: text(row, 'tenant_id'),
    day: text(row, 'day'),
    appId: appIn(row),
    outcome: text(row, 'outcome'),
    count: Number(row['count']),
  };
}

function toReportedDay(row: SqlRow): ReportedDay {
  // PostgreSQL returns a 64-bit number as text.
  const number = (name: Exclude<keyof ReportedDay, 'day' | 'appId'>): number => Number(row[name]);
  return {
    day: text(row, 'day'),
    appId: appIn(row),
    clients: number('clients'),
    unclosed: number('unclosed'),
    seen: number('seen'),
    sealed: number('sealed'),
    aborted: number('aborted'),
    failed: number('failed'),
    truncated: number('truncated'),
    skipped: number('skipped'),
    unsealed: number('unsealed'),
    dropped: number('dropped'),
    dead: number('dead'),
    open: number('open'),
    waiting: number('waiting'),
  };
}

function appIn(row: SqlRow): string | null {
  const appId = text(row, 'app_id');
  return appId === '' ? null : appId;
}
