import type { Metrics } from '@cer/http-service/process';
import { Gauge, Histogram } from 'prom-client';

/** Metrics of a node besides those of its requests. Workers of one node count the same records: `aggregator`. */
export interface NodeMetrics {
  /** Lines of a batch. */
  readonly batchLines: Histogram;
  /** By state. */
  readonly records: Gauge<'state'>;
  readonly untimestamped: Gauge;
  readonly signer: Gauge;
}

export interface MeasuredQueues {
  /** Records that wait for their commit. */
  readonly commits: () => number;
  /** Queued verifications without a key. */
  readonly verifications: () => number;
}

// Routes may be built more than once for one registry, which accepts each name once.
const known = new WeakMap<Metrics, NodeMetrics>();

/**
 * The node's own metrics in its registry.
 * @see docs/spec.md, "GET /metrics"
 */
export function nodeMetrics(metrics: Metrics): NodeMetrics {
  const registered = known.get(metrics);
  if (registered !== undefined) return registered;
  const registers = [metrics.registry];
  const made: NodeMetrics = {
    batchLines: new Histogram({
      name: 'cer_batch_lines',
      help: 'Lines of certify-batch and attest-batch requests.',
      buckets: [1, 5, 10, 25, 50, 100, 250, 500],
      registers,
    }),
    records: new Gauge({
      name: 'cer_records',
      help: 'Records by state, counted in the background.',
      labelNames: ['state'],
      aggregator: 'max',
      registers,
    }),
    untimestamped: new Gauge({
      name: 'cer_records_unstamped',
      help: 'Records that wait for the token of a time authority, counted in the background; 0 where none is asked.',
      aggregator: 'max',
      registers,
    }),
    signer: new Gauge({
      name: 'cer_signer_up',
      help: '1 when the signing key could sign at the last look.',
      aggregator: 'min',
      registers,
    }),
  };
  known.set(metrics, made);
  return made;
}

/** Reads the queue lengths at each scrape. */
export function measureQueues({ registry }: Metrics, { commits, verifications }: MeasuredQueues): void {
  const gauges = [
    ['cer_commits_pending', 'Records that wait for their commit.', commits],
    ['cer_verifications_pending', 'Verifications without a key that wait for their turn.', verifications],
  ] as const;
  for (const [name, help, read] of gauges) {
    if (registry.getSingleMetric(name) !== undefined) continue;
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}
