import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './npm-start.js';

/** Metrics that other programs than the services publish: Prometheus itself, node_exporter and the backup job. */
const OF_OTHERS = new Set([
  'up',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
  'node_timex_offset_seconds',
  'cer_backup_timestamp_seconds',
]);

const METRIC = /\b(?:up|(?:cer|http|nodejs|process|render|node)_[a-z0-9_]+)\b/g;

/** The names of all metrics that alerts and dashboard ask the services for. */
export function namedMetrics(): readonly string[] {
  const rules = read('infra/prometheus/rules.yml')
    .split('\n')
    .filter((line) => line.trimStart().startsWith('expr:'));
  const names = [...rules, ...panelExpressions()].flatMap((expression) => expression.match(METRIC) ?? []);
  return [...new Set(names)].filter((name) => !OF_OTHERS.has(name)).sort();
}

/** The expressions of the dashboard, with values for the variables that Grafana sets. */
export function panelExpressions(): readonly string[] {
  const expressions = [...read('infra/grafana/execution-certification.json').matchAll(/"expr": (".*")/g)];
  return expressions.map(([, text]) =>
    String(JSON.parse(text ?? ''))
      .replaceAll('$job', '.+')
      .replaceAll('$__rate_interval', '10s'),
  );
}

/** The names of the metrics in an answer of `/metrics`. */
export function publishedMetrics(text: string): ReadonlySet<string> {
  const names = text.split('\n').flatMap((line) => /^(?:# TYPE )?([a-z_][a-z0-9_]*)/.exec(line)?.[1] ?? []);
  return new Set(names);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
