import type { Database } from '@cer/sql-store';
import type { Knex } from 'knex';
import type { TraceRoot, TraceSize, TraceStep, TraceStore } from './ports.js';

interface StepRow {
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly started_at: string;
  readonly bundle_json: string;
}

interface RootRow {
  readonly tenant_id: string;
  readonly trace_id: string;
  readonly started_at: string;
  readonly ended_at: string;
}

const ROWS_PER_STATEMENT = 500;

/** Certified spans of traces, and the root spans that have ended. */
export class SqlTraceStore implements TraceStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async keep(tenantId: string, traceId: string, steps: readonly TraceStep[]): Promise<void> {
    const stored_at = this.#now().toISOString();
    await this.#database.transaction(async (db) => {
      for (const { spanId, parentSpanId, startedAt, bundleJson } of steps) {
        await db('trace_steps')
          .insert({
            tenant_id: tenantId,
            trace_id: traceId,
            span_id: spanId,
            parent_span_id: parentSpanId,
            started_at: startedAt,
            bundle_json: bundleJson,
            stored_at,
          })
          // A span that is sent again has the same certificate.
          .onConflict(['tenant_id', 'trace_id', 'span_id'])
          .ignore();
      }
    });
  }

  async keepRoots(tenantId: string, roots: readonly TraceRoot[]): Promise<void> {
    const stored_at = this.#now().toISOString();
    const rows = roots.map(({ traceId, startedAt, endedAt }) => ({
      tenant_id: tenantId,
      trace_id: traceId,
      started_at: startedAt,
      ended_at: endedAt,
      stored_at,
    }));
    await this.#database.transaction(async (db) => {
      for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
        await db('trace_roots')
          .insert(rows.slice(at, at + ROWS_PER_STATEMENT))
          .onConflict(['tenant_id', 'trace_id'])
          .ignore();
      }
    });
  }

  async withSteps(tenantId: string, traceIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#ofMany<Pick<RootRow, 'trace_id'>>(traceIds, async (db, ids) =>
      db('trace_steps').where('tenant_id', tenantId).whereIn('trace_id', ids).distinct('trace_id'),
    );
    return new Set(rows.map((row) => row.trace_id));
  }

  async rootsWithSteps(tenantId: string, traceIds: readonly string[]): Promise<readonly TraceRoot[]> {
    const rows = await this.#ofMany<RootRow>(traceIds, async (db, ids) =>
      db<RootRow>('trace_roots as r')
        .where('r.tenant_id', tenantId)
        .whereIn('r.trace_id', ids)
        .whereExists(
          db('trace_steps as s')
            .select(db.raw('1'))
            .where({ 's.tenant_id': db.ref('r.tenant_id'), 's.trace_id': db.ref('r.trace_id') }),
        )
        .select(),
    );
    return rows.map((row) => ({ traceId: row.trace_id, startedAt: row.started_at, endedAt: row.ended_at }));
  }

  async #ofMany<Row>(
    traceIds: readonly string[],
    find: (db: Knex, ids: readonly string[]) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < traceIds.length; at += ROWS_PER_STATEMENT) {
      rows.push(...(await this.#database.run((db) => find(db, traceIds.slice(at, at + ROWS_PER_STATEMENT)))));
    }
    return rows;
  }

  async sizeOf(tenantId: string, traceId: string, limit: number): Promise<TraceSize> {
    const rows: readonly { readonly bytes: number }[] = await this.#database.run(async (db) =>
      db('trace_steps')
        .where({ tenant_id: tenantId, trace_id: traceId })
        .limit(limit)
        .select(db.raw('octet_length(bundle_json) as bytes')),
    );
    return { steps: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  async stepsOf(tenantId: string, traceId: string, limit: number): Promise<readonly TraceStep[]> {
    const rows: readonly StepRow[] = await this.#database.run(async (db) =>
      db('trace_steps')
        .where({ tenant_id: tenantId, trace_id: traceId })
        .orderBy([{ column: 'started_at' }, { column: 'span_id' }])
        .limit(limit)
        .select(),
    );
    return rows.map((row) => ({
      spanId: row.span_id,
      parentSpanId: row.parent_span_id,
      startedAt: row.started_at,
      bundleJson: row.bundle_json,
    }));
  }
}
