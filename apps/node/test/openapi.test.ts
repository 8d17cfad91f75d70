import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Validator } from '@seriousme/openapi-schema-validator';

import { nodeRoutes } from '../src/start/app.js';
import { STATUS } from '../src/errors/refusals.js';
import { ask, at, objectAt } from './ask.js';
import { startTestNode, type TestNode } from './test-node.js';

let node: TestNode;
let document: Record<string, unknown>;

beforeAll(async () => {
  node = await startTestNode();
  document = objectAt((await ask(node, 'get', '/openapi.json')).body);
});
afterAll(() => node.close());

/** Every operation of the document under `METHOD /path/:name`. */
function operations(): [name: string, operation: Record<string, unknown>][] {
  return Object.keys(objectAt(document, 'paths')).flatMap((path) =>
    Object.keys(objectAt(document, 'paths', path)).map((method): [string, Record<string, unknown>] => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      objectAt(document, 'paths', path, method),
    ]),
  );
}

// In a separate process: the validator is an ES module, and jest runs the tests as CommonJS.
const VALIDATE = `
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
const { valid, errors } = await new Validator().validate(JSON.parse(readFileSync(0, 'utf8')));
process.stdout.write(JSON.stringify({ valid, errors }));
`;

function validated(openApi: unknown): Awaited<ReturnType<Validator['validate']>> {
  const options = { cwd: __dirname, input: JSON.stringify(openApi), encoding: 'utf8' } as const;
  const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', VALIDATE], options);
  return JSON.parse(answer) as Awaited<ReturnType<Validator['validate']>>;
}

describe('GET /openapi.json', () => {
  it('describes exactly the routes of the node', () => {
    const served = nodeRoutes(node.deps).map(({ method, path }) => `${method} ${path.replace(/\+$/, '')}`);
    expect(
      operations()
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(served.toSorted());
  });

  it('is a valid OpenAPI 3.1 document', () => {
    expect(validated(document)).toEqual({ valid: true });
    expect(validated({ ...document, paths: { 'no-slash': {} } })).toMatchObject({ valid: false });
  });

  it('declares the same authentication as the node', async () => {
    for (const [name, operation] of operations()) {
      const [method, path = ''] = name.split(' ');
      const { status } = await ask(node, method === 'GET' ? 'get' : 'post', path);
      const stated = JSON.stringify(operation['security']);
      // The node under test has no admin secret.
      const expected = status === 401 ? '[{"apiKey":[]}]' : at(operation, 'responses', '503', 'description');
      if (stated.includes('adminSecret')) expect([name, status]).toEqual([name, STATUS.ADMIN_NOT_CONFIGURED]);
      else if (stated === '[]') expect([name, status]).not.toEqual([name, STATUS.UNAUTHORIZED]);
      else expect([name, stated]).toEqual([name, expected]);
    }
  });

  it('describes the bodies of routes', () => {
    const routes = new Map(nodeRoutes(node.deps).map((route) => [`${route.method} ${route.path}`, route]));
    for (const [name, operation] of operations()) {
      const types = Object.keys(objectAt({ content: {}, ...(at(operation, 'requestBody') ?? {}) }, 'content'));
      expect([name, types]).toEqual([name, [...(routes.get(name)?.mediaTypes ?? [])]]);
    }
  });

  it('lists 429 for routes with limits', () => {
    const counted = nodeRoutes(node.deps).filter(({ admit }) => admit !== undefined);
    const limited = operations().filter(([, operation]) => '429' in objectAt(operation, 'responses'));
    expect(limited.map(([name]) => name).toSorted()).toEqual(
      counted.map(({ method, path }) => `${method} ${path.replace(/\+$/, '')}`).toSorted(),
    );
    for (const [, operation] of limited) {
      expect(Object.keys(objectAt(operation, 'responses', '429', 'headers'))).toContain('Retry-After');
    }
  });

  it('gives every operation a unique id', () => {
    const ids = operations().map(([, operation]) => operation['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('GET /docs', () => {
  it('shows every route under a strict policy', async () => {
    const { status, headers, text } = await ask(node, 'get', '/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const shown = [...text.matchAll(/<h3><code>([^<]*)/g)].map(([, name = '']) => name.replaceAll(/\{(\w+)\}/g, ':$1'));
    expect(shown.toSorted()).toEqual(
      operations()
        .map(([name]) => name)
        .toSorted(),
    );
    const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toMatch(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(text).not.toMatch(/<script|style=|\son\w+=/);
  });
});
