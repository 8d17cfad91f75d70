import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NODE_ERROR_CODES, NODE_ROUTES } from '@cer/client';

import { ask, at, objectAt } from '../ask.js';
import { startTestNode, type TestNode } from '../test-node.js';

/** Routes without a method of the client: pages, metrics, and what only operators call. */
const WITHOUT_METHOD = ['GET /', 'GET /docs', 'GET /openapi.json', 'GET /metrics', 'POST /render'];
/** Tiles of the transparency log are read by C2SP clients, such as `cer log`. */
const LOG = /\/log\/(?!proof$|checkpoint$)|\/svc-log\.json$/;
const ADMIN = /^(GET|POST) \/v1\/admin\/(?!audit$)/;

let node: TestNode;
let document: Record<string, unknown>;

beforeAll(async () => {
  node = await startTestNode();
  document = objectAt((await ask(node, 'get', '/openapi.json')).body);
});
afterAll(() => node.close());

/** Every operation under `METHOD /path/:name`. */
function operations(): Map<string, Record<string, unknown>> {
  return new Map(
    Object.keys(objectAt(document, 'paths')).flatMap((path) =>
      Object.keys(objectAt(document, 'paths', path)).map((method): [string, Record<string, unknown>] => [
        `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        objectAt(document, 'paths', path, method),
      ]),
    ),
  );
}

const routes = Object.values(NODE_ROUTES).map(({ method, path, keyed }) => ({ name: `${method} ${path}`, keyed }));

describe('the client and the OpenAPI document', () => {
  it('have the same routes', () => {
    const described = [...operations().keys()].filter(
      (name) => !WITHOUT_METHOD.includes(name) && !ADMIN.test(name) && !LOG.test(name),
    );
    expect(routes.map(({ name }) => name).toSorted()).toEqual(described.toSorted());
    expect([...operations().keys()]).toEqual(expect.arrayContaining(WITHOUT_METHOD));
  });

  it('agree on which routes need a key', () => {
    for (const { name, keyed } of routes) {
      const security = JSON.stringify(operations().get(name)?.['security']);
      expect([name, keyed]).toEqual([name, security.includes('apiKey')]);
    }
  });

  it('have the same error codes', () => {
    const codes = routes.flatMap(({ name }) =>
      Object.values(objectAt(operations().get(name), 'responses')).flatMap((response) => {
        const content = at(response, 'content', 'application/json', 'schema', 'properties', 'error', 'enum');
        return Array.isArray(content) ? (content as readonly string[]) : [];
      }),
    );
    expect([...NODE_ERROR_CODES].toSorted()).toEqual([...new Set(codes)].toSorted());
  });
});
