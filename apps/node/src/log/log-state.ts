import type { Metrics } from '@cer/http-service/process';
import { Gauge } from 'prom-client';
import type { LogRow, Store } from '../store/index.js';
import type { NodeLog } from './node-log.js';

/** Why a log makes no further heads, for `/ready`; certification continues. */
export async function logWarnings(store: Pick<Store['log'], 'head'>, log: NodeLog | null): Promise<readonly string[]> {
  if (log === null) return [];
  const halted = await Promise.all(
    [log.receipts, log.epochs].map(async ({ logId, role }) => ({ role, ...(await store.head(logId)) })),
  );
  return halted.flatMap((head) => (head.halted === null ? [] : [`log of ${head.role}: ${head.halted}`]));
}

type Read = (row: LogRow) => Promise<number>;

/** Reads both logs at each scrape. @see docs/spec.md, "GET /metrics" */
export function measureLog(
  { registry }: Metrics,
  { log: heads, logNotes }: Pick<Store, 'log' | 'logNotes'>,
  log: NodeLog | null,
  now: () => Date,
): void {
  if (log === null) return;
  const sincePublished: Read = async ({ logId }) => {
    const published = await logNotes.newestPublished(logId);
    // The clock may have been set back, or be behind that of the node that published.
    return published === null ? Infinity : Math.max(0, now().getTime() - published.freshMs) / 1000;
  };
  const gauges: readonly (readonly [string, string, Read])[] = [
    ['cer_log_size', 'Entries of the log.', async ({ logId }) => (await heads.head(logId)).size],
    [
      'cer_log_halted',
      '1 when the log makes no further heads.',
      async ({ logId }) => ((await heads.head(logId)).halted === null ? 0 : 1),
    ],
    ['cer_log_seconds_since_published', 'Age of the newest cosignatures of the published checkpoint.', sincePublished],
  ];
  for (const [name, help, read] of gauges) {
    if (registry.getSingleMetric(name) !== undefined) continue;
    new Gauge({
      name,
      help,
      labelNames: ['log'],
      // Every worker reads the same log.
      aggregator: 'max',
      registers: [registry],
      async collect() {
        for (const row of [log.receipts, log.epochs]) this.set({ log: row.role }, await read(row));
      },
    });
  }
}
