import type { ResponseHeaders } from '../handler/handler.js';
import { preflightHeaders, PUBLIC_CORS_HEADERS, SECURITY_HEADERS } from '../answers/response-headers.js';
import type { Route } from './route.js';

export interface Endpoint {
  readonly route: Route;
  /** Headers of every answer of this route. */
  readonly headers: ResponseHeaders;
  readonly paramNames: readonly string[];
}

/** The routes at one path pattern. */
export interface Resource {
  /** Its name in logs and metrics. */
  readonly pattern: string;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Headers of answers that belong to no single route: 405 and preflight. */
  readonly headers: ResponseHeaders;
  readonly allow: string;
  /** Set where web pages may send a preflight. */
  readonly preflight: ResponseHeaders | undefined;
}

export interface RouteMatch {
  readonly resource: Resource;
  /** Decoded parameters in the order of the pattern. */
  readonly values: readonly string[];
}

/** Finds the routes of a path, which is compared byte for byte: neither decoded nor normalized. */
export type RouteTable = (path: string) => RouteMatch | undefined;

const NO_VALUES: readonly string[] = [];

/**
 * Indexes routes by path: fixed paths win over patterns, patterns are tried in the order given.
 * @throws Error when two routes have the same method and path, or a path does not begin with `/`
 */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const fixed = new Map<string, RouteMatch>();
  const patterns: { readonly segments: readonly string[]; readonly resource: Resource }[] = [];
  for (const [shape, group] of groupByShape(routes)) {
    const resource = resourceOf(group);
    if (shape.includes('/:')) patterns.push({ segments: shape.split('/'), resource });
    else fixed.set(shape, { resource, values: NO_VALUES });
  }
  return (path) => {
    const found = fixed.get(path);
    if (found !== undefined || patterns.length === 0) return found;
    const segments = path.split('/');
    for (const pattern of patterns) {
      const values = valuesOf(segments, pattern.segments);
      if (values !== undefined) return { resource: pattern.resource, values };
    }
    return undefined;
  };
}

/** Routes that differ only in the names of their parameters are one resource. */
function groupByShape(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of routes) {
    if (!route.path.startsWith('/')) throw new Error(`route path must begin with "/": ${route.path}`);
    const shape = route.path.replace(/\/:[^/]*?(\+?)(?=\/|$)/g, '/:$1');
    const group = groups.get(shape) ?? [];
    if (group.some(({ method }) => method === route.method)) {
      throw new Error(`route declared twice: ${route.method} ${route.path}`);
    }
    groups.set(shape, [...group, route]);
  }
  return groups;
}

function resourceOf(routes: readonly Route[]): Resource {
  const endpoints = new Map<string, Endpoint>();
  for (const route of routes) {
    const endpoint = endpointOf(route);
    endpoints.set(route.method, endpoint);
    if (route.method === 'GET') endpoints.set('HEAD', endpoint);
  }
  const open = [...endpoints].filter(([, { route }]) => route.cors === 'public').map(([method]) => method);
  const preflight = open.length === 0 ? undefined : { ...SECURITY_HEADERS, ...preflightHeaders(open) };
  return {
    pattern: routes.map(({ path }) => path)[0] ?? '',
    endpoints,
    headers: preflight === undefined ? SECURITY_HEADERS : { ...SECURITY_HEADERS, ...PUBLIC_CORS_HEADERS },
    allow: [...endpoints.keys(), ...(preflight === undefined ? [] : ['OPTIONS'])].join(', '),
    preflight,
  };
}

export function endpointOf(route: Route): Endpoint {
  return {
    route,
    headers: route.cors === 'public' ? { ...SECURITY_HEADERS, ...PUBLIC_CORS_HEADERS } : SECURITY_HEADERS,
    paramNames: [...route.path.matchAll(/\/:([^/+]+)/g)].map(([, name = '']) => name),
  };
}

function valuesOf(sent: readonly string[], pattern: readonly string[]): readonly string[] | undefined {
  const segments = pattern.at(-1) === REST ? joinRest(sent, pattern.length) : sent;
  if (segments.length !== pattern.length) return undefined;
  const values: string[] = [];
  for (const [index, segment] of segments.entries()) {
    if (pattern[index] === ':' || pattern[index] === REST) {
      const value = decoded(segment);
      if (value === undefined) return undefined;
      values.push(value);
    } else if (pattern[index] !== segment) return undefined;
  }
  return values;
}

/** The last segment of a pattern that takes all that follow. */
const REST = ':+';

function joinRest(segments: readonly string[], length: number): readonly string[] {
  return [...segments.slice(0, length - 1), segments.slice(length - 1).join('/')];
}

/** An empty or invalidly encoded segment matches no parameter. */
function decoded(segment: string): string | undefined {
  if (segment === '') return undefined;
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
