import type { Database } from './database.js';
import type { TraceStep, TraceStore } from './ports.js';

interface StepRow {
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly started_at: string;
  readonly bundle_json: string;
}

/** Certified spans of traces whose root span has not ended yet. */
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

  async stepsOf(tenantId: string, traceId: string): Promise<readonly TraceStep[]> {
    const rows: readonly StepRow[] = await this.#database.run(async (db) =>
      db('trace_steps')
        .where({ tenant_id: tenantId, trace_id: traceId })
        .orderBy([{ column: 'started_at' }, { column: 'span_id' }])
        .select(),
    );
    return rows.map((row) => ({
      spanId: row.span_id,
      parentSpanId: row.parent_span_id,
      startedAt: row.started_at,
      bundleJson: row.bundle_json,
    }));
  }

  async drop(tenantId: string, traceId: string): Promise<void> {
    await this.#database.run(async (db) =>
      db('trace_steps').where({ tenant_id: tenantId, trace_id: traceId }).delete(),
    );
  }
}
