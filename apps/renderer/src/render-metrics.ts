import type { Metrics } from '@cer/http-service/process';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Engine } from './engine.js';
import type { FairQueue } from './queue/fair-queue.js';
import type { JobKind } from './queue/job-kind.js';

const DURATION_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Registers the metrics of the renderer; returns the function that counts a finished job. */
export function registerRenderMetrics(
  { registry }: Metrics,
  queue: FairQueue,
  engine: () => Engine | string,
): (kind: JobKind, outcome: string, seconds: number) => void {
  const registers = [registry];
  const jobs = new Histogram({
    name: 'render_job_duration_seconds',
    help: 'Time a sketch held its slot, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  const total = new Counter({
    name: 'render_jobs_total',
    help: 'Finished jobs.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  new Gauge({
    name: 'render_jobs_waiting',
    help: 'Jobs in line.',
    registers,
    collect() {
      this.set(queue.waiting);
    },
  });
  new Gauge({
    name: 'render_jobs_running',
    help: 'Jobs that hold a slot.',
    registers,
    collect() {
      this.set(queue.running);
    },
  });
  new Gauge({
    name: 'render_browser_launches',
    help: 'Browser starts.',
    registers,
    collect() {
      const state = engine();
      this.set(typeof state === 'string' ? 0 : state.host.launches);
    },
  });
  return (kind, outcome, seconds) => {
    jobs.observe({ kind, outcome }, seconds);
    total.inc({ kind, outcome });
  };
}
