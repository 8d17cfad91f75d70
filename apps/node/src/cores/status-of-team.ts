import type { Handler } from '@cer/http-service';
import type { Metrics } from '@cer/http-service/process';
import { AggregatorRegistry } from 'prom-client';
import { MetricValues, Readiness as ReadinessParts } from './questions.js';
import type { Team } from './team.js';

/** The reasons why a node is not ready, and its warnings. */
export interface Readiness {
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** Aggregation of metrics over several processes, where it differs from the library's default. */
const AGGREGATORS: readonly (readonly [name: RegExp, aggregator: string])[] = [
  // The maximum, so that one slow worker is visible.
  [/^nodejs_eventloop_lag/, 'max'],
  [/^process_start_time_seconds$/, 'min'],
];

/** A node is ready when each of its workers is. */
export function readinessOfTeam(
  team: Pick<Team, 'contribute' | 'gather' | 'size'>,
  own: () => Promise<Readiness>,
): () => Promise<Readiness> {
  team.contribute('readiness', own);
  return () => gatherReadiness(team);
}

/** Asks each worker, this one included, once each has contributed its part. */
export async function gatherReadiness(team: Pick<Team, 'gather' | 'size'>): Promise<Readiness> {
  const { answers, silent, missing } = await team.gather('readiness');
  const parts = answers.map((answer) => ReadinessParts.parse(answer));
  const all = (name: keyof Readiness): string[] => [...new Set(parts.flatMap((part) => part[name]))];
  return {
    reasons: [...all('reasons'), ...(silent > 0 ? [`workers: ${silent} of ${team.size} do not answer`] : [])],
    warnings: [...all('warnings'), ...(missing > 0 ? [`workers: ${missing} of ${team.size} are being replaced`] : [])],
  };
}

/** Answers with the metrics of all workers together. */
export function metricsOfTeam(team: Pick<Team, 'contribute' | 'gather'>, { registry }: Metrics): Handler {
  team.contribute('metrics', () => registry.getMetricsAsJSON());
  return async () => {
    const { answers } = await team.gather('metrics');
    const parts = answers.map((answer) =>
      MetricValues.parse(answer).map((metric) => {
        const rule = AGGREGATORS.find(([name]) => name.test(metric.name));
        return rule === undefined ? metric : { ...metric, aggregator: rule[1] };
      }),
    );
    return {
      status: 200,
      headers: { 'content-type': registry.contentType },
      body: await AggregatorRegistry.aggregate(parts).metrics(),
    };
  };
}
