import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { panelExpressions } from './monitoring.js';
import { root } from './npm-start.js';

/** Until each service was scraped several times. */
const ANSWERS_WITHIN_MS = 60_000;

interface Answer<Data> {
  readonly status: string;
  readonly error?: string;
  readonly data: Data;
}

/** A rule of `infra/prometheus` with its health and state. */
export interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state: string;
}

/** A Prometheus that scrapes services every second and evaluates the rules of `infra/prometheus`. */
interface Prometheus {
  /** Waits until the expression has a value. @throws Error when it has none, or cannot be evaluated */
  readonly value: (expression: string) => Promise<void>;
  readonly rules: () => Promise<readonly Rule[]>;
  readonly stop: () => Promise<void>;
}

/** @returns why it cannot be started. Debian's package is prometheus */
export function missingPrometheus(): Error | undefined {
  return spawnSync('prometheus', ['--version']).error;
}

/**
 * Waits until every panel of the dashboard has a value.
 * @param services by the name of their job; absent ones are undefined
 * @returns the rules, as evaluated then
 * @throws Error for a panel without a value, or one that cannot be evaluated
 */
export async function drawPanels(
  folder: string,
  services: Readonly<Record<string, { readonly url: string } | undefined>>,
): Promise<readonly Rule[]> {
  const jobs = new Map<string, string>();
  for (const [job, service] of Object.entries(services)) if (service !== undefined) jobs.set(job, service.url);
  const prometheus = await startPrometheus(folder, jobs);
  try {
    for (const expression of panelExpressions()) {
      // A healthy system has no series of failures and refusals.
      if (/5xx|limited/.test(expression) || (expression.includes('render_') && !jobs.has('renderer'))) continue;
      await prometheus.value(expression);
    }
    return await prometheus.rules();
  } finally {
    await prometheus.stop();
  }
}

/** @param jobs addresses of the services, by the name of the job */
async function startPrometheus(folder: string, jobs: ReadonlyMap<string, string>): Promise<Prometheus> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'prometheus.yml');
  const scraped = [...jobs].map(([job, url]) => ({
    job_name: job,
    static_configs: [{ targets: [new URL(url).host] }],
  }));
  writeFileSync(
    config,
    // JSON is YAML.
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [join(root, 'infra/prometheus/rules.yml')],
      scrape_configs: scraped,
    }),
  );
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const child = spawn('prometheus', [...flags, '--web.listen-address=127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const address = (): string | undefined => /msg="Listening on" address=(\S+)[^]*msg="Server is ready/.exec(said)?.[1];
  for (const until = Date.now() + ANSWERS_WITHIN_MS; address() === undefined;) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`prometheus is not ready:\n${said}`);
    await sleep(50);
  }
  const ask = async <Data>(path: string): Promise<Data> => {
    const response = await fetch(`http://${address() ?? ''}/api/v1/${path}`);
    const { status, error, data } = (await response.json()) as Answer<Data>;
    if (status !== 'success') throw new Error(`${path}: ${error ?? status}`);
    return data;
  };
  return {
    value: async (expression) => {
      const path = `query?query=${encodeURIComponent(expression)}`;
      for (const until = Date.now() + ANSWERS_WITHIN_MS; Date.now() < until;) {
        if ((await ask<{ result: readonly unknown[] }>(path)).result.length > 0) return;
        await sleep(200);
      }
      throw new Error(`no value: ${expression}`);
    },
    rules: async () => {
      const { groups } = await ask<{ groups: readonly { rules: readonly Rule[] }[] }>('rules');
      return groups.flatMap(({ rules }) => rules);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
