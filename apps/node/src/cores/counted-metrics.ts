import { AggregatorRegistry } from 'prom-client';
import type * as z from 'zod';
import { MetricValues } from './questions.js';

type Values = z.output<typeof MetricValues>;

/**
 * The last metrics of each worker. The sums of a node keep the counts of workers that ended or are silent: a sum that
 * falls looks like a restart, and would be counted twice.
 */
export class CountedMetrics<Worker> {
  readonly #last = new Map<Worker, Values>();
  #ended: Values = [];

  /** @returns the same answer */
  note(worker: Worker, answer: unknown): unknown {
    this.#last.set(worker, countsOf(MetricValues.parse(answer)));
    return answer;
  }

  /** The counts of a worker in its last answer. */
  lastOf(worker: Worker): Values {
    return this.#last.get(worker) ?? [];
  }

  /** The counts of ended workers in their last answers. */
  ended(): Values {
    return this.#ended;
  }

  async end(worker: Worker): Promise<void> {
    const last = this.lastOf(worker);
    this.#last.delete(worker);
    if (last.length === 0) return;
    const values = await AggregatorRegistry.aggregate([this.#ended, last]).getMetricsAsJSON();
    this.#ended = MetricValues.parse(values);
  }
}

function countsOf(values: Values): Values {
  return values.filter(({ type }) => type === 'counter' || type === 'histogram');
}
