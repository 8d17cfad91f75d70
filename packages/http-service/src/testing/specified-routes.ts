import { readFileSync } from 'node:fs';

const SPECIFICATION = new URL('../../../../docs/spec.md', import.meta.url);
const ROW = /^\| ([A-Z]+) +\| (\/\S*) +\| (\w+) +\|$/gm;

/**
 * The routes that the specification lists for a service, as `METHOD /path`, sorted.
 * @see docs/spec.md, "Routes"
 */
export function specifiedRoutes(service: string): readonly string[] {
  return [...readFileSync(SPECIFICATION, 'utf8').matchAll(ROW)]
    .filter(([, , , named]) => named === service)
    .map(([, method = '', path = '']) => `${method} ${path}`)
    .toSorted();
}
