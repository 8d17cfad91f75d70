import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Route } from '../routing/route.js';

const FILE = new URL('../../../../infra/helm/files/public-paths.json', import.meta.url);

/** The result of comparing the Ingress of the Helm chart with the routes of a service. */
export interface ChartIngress {
  /** Paths of routes that it does not forward, each once, in order. */
  readonly closed: readonly string[];
  /** Paths of the Ingress that no route has. */
  readonly unused: readonly string[];
}

/**
 * Compares routes with the paths that the chart's Ingress forwards: "/" is that path alone, any other includes those below.
 * @param service as `infra/helm/files/public-paths.json` names it
 * @throws Error for a service without paths there
 */
export function chartIngressOf(service: string, routes: readonly Pick<Route, 'path'>[]): ChartIngress {
  const rules = z.record(z.string(), z.array(z.string())).parse(JSON.parse(readFileSync(FILE, 'utf8')))[service];
  if (rules === undefined) throw new Error(`${service} has no paths in ${FILE.pathname}`);
  const paths = [...new Set(routes.map(({ path }) => path))].toSorted();
  const isUnder = (path: string, rule: string): boolean =>
    path === rule || (rule !== '/' && path.startsWith(`${rule}/`));
  return {
    closed: paths.filter((path) => !rules.some((rule) => isUnder(path, rule))),
    unused: rules.filter((rule) => !paths.some((path) => isUnder(path, rule))),
  };
}
