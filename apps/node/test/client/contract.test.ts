import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NODE_ERROR_CODES, NODE_ROUTES } from '@cer/client';
import { createNodeClient, type RecordFilter } from '@cer/client/node-client';

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

  it('have the same parameters of queries and media types', async () => {
    const sent = new Map<string, Set<string>>();
    const accepted = new Map<string, Set<string>>();
    const fetch = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const { pathname, searchParams } = new URL(address as string);
      const route = `${init?.method ?? 'GET'} ${pathname.replace(/webhooks\/w\//, 'webhooks/:id/')}`;
      sent.set(route, new Set([...(sent.get(route) ?? []), ...searchParams.keys()]));
      const accept = new Headers(init?.headers).get('accept') ?? '';
      accepted.set(route, new Set([...(accepted.get(route) ?? []), accept]));
      if (accept === 'application/x-ndjson') return new Response();
      return Response.json({ records: [], nextCursor: searchParams.has('cursor') ? null : 'c' });
    };
    const client = createNodeClient({ nodeUrl: 'http://node.test', apiKey: 'k', fetch, retries: 0 });
    const times = { attestedFrom: 'a', attestedTo: 'a', timestamped: true, logProof: true } as const;
    const names = { appId: 'a', bundleType: 'a', provider: 'a', model: 'a', protocolVersion: 'a', status: 'a' };
    const hashes = { certificateHash: 'a', executionId: 'a', projectHash: 'a', reviewedHash: 'a' };
    const filter: Required<RecordFilter> = { ...times, ...names, ...hashes };
    for await (const record of client.records({ ...filter, order: 'oldest', limit: 1 })) expect(record).toBeUndefined();
    await client.countRecords(filter);
    await client.exportRecords(filter);
    await client.coverage({ from: 'a', to: 'a', appId: 'a' });
    await client.auditLog('s', { after: 1, limit: 1, format: 'json' });
    for await (const entry of client.auditEntries('s')) expect(entry).toBeUndefined();
    await client.webhooks.deliveries('w', { before: 1, limit: 1 });
    await client.ownCertificate('a');
    await client.proof('a');
    await client.project('a');
    for (const key of [{ certificateHash: 'a' }, { executionId: 'a' }]) await client.lookup(key);
    for (const key of [{ certificateHash: 'a' }, { projectHash: 'a' }]) await client.logProof(key);
    const described = routes.flatMap(({ name }) => {
      const { parameters } = operations().get(name) ?? {};
      const inQuery = (Array.isArray(parameters) ? (parameters as readonly unknown[]) : []).filter(
        (parameter) => at(parameter, 'in') === 'query',
      );
      return inQuery.length === 0 ? [] : [[name, inQuery.map((parameter) => String(at(parameter, 'name'))).toSorted()]];
    });
    expect(Object.fromEntries([...sent].map(([name, found]) => [name, [...found].toSorted()]))).toEqual(
      Object.fromEntries(described),
    );
    for (const [name, types] of accepted) {
      const offered = Object.keys(objectAt(operations().get(name), 'responses', '200', 'content'));
      expect([name, offered]).toEqual([name, expect.arrayContaining([...types])]);
    }
    const offered = Object.keys(objectAt(operations().get('GET /v1/admin/audit'), 'responses', '200', 'content'));
    expect([...(accepted.get('GET /v1/admin/audit') ?? [])].toSorted()).toEqual(offered.toSorted());
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
