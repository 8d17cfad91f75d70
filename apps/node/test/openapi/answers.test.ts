import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { openApiDocument } from '../../src/openapi/openapi-document.js';
import { nodeRoutes } from '../../src/start/app.js';
import { at, objectAt } from '../ask.js';
import type { TestNode } from '../test-node.js';
import { startWholeNode, type WholeNode } from '../whole-node.js';
import { journey, type Met } from './journey.js';

// Compares described responses with real ones; a member without a schema is a fault too.

const JSON_TYPE = 'application/json';

let whole: WholeNode;
let node: TestNode;
let met: readonly Met[];
let document: JsonObject;

const ajv = new Ajv2020({ strict: false, allErrors: true });

beforeAll(async () => {
  whole = await startWholeNode({ allowOpenRender: true });
  node = whole.node;
  document = JSON.parse(JSON.stringify(openApiDocument('0.0.0', nodeRoutes(node.deps)))) as JsonObject;
  ajv.addSchema({ $id: 'document', ...objectAt(closed(document)) });
  met = await journey(node, whole.adminSecret, whole.root);
});
afterAll(() => whole.close());

/** The same schema with every object closed that lists its members and does not allow more. */
function closed(value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(closed);
  if (!isJsonObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isShape = value['type'] === 'object' && isJsonObject(value['properties']);
  return isShape && value['additionalProperties'] === undefined ? { ...inner, additionalProperties: false } : inner;
}

/** The location of a response in the document. */
function placeOf(route: string, status: number): readonly string[] {
  const [method = '', path = ''] = route.split(' ');
  return ['paths', path.replaceAll(/:(\w+)\+?/g, '{$1}'), method.toLowerCase(), 'responses', String(status)];
}

function faultsOf(place: readonly string[], body: unknown): unknown {
  const pointer = place.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = ajv.compile({ $ref: `document#/${pointer}` });
  return validate(body) ? [] : validate.errors;
}

const jsonSchemaAt = (place: readonly string[]): readonly string[] => [...place, 'content', JSON_TYPE, 'schema'];

describe('the description of responses', () => {
  it('matches every response of a journey', () => {
    for (const { route, answer } of met) {
      const place = placeOf(route, answer.status);
      const content = at(document, ...place, 'content');
      const type = answer.headers['content-type']?.split(';')[0] ?? '';
      const described = typeof content === 'object' && content !== null ? Object.keys(content) : [];
      const isDescribed = at(document, ...place, 'description') !== undefined;
      expect([route, answer.status, isDescribed, answer.status === 302 || described.includes(type)]).toEqual([
        ...[route, answer.status, true, true],
      ]);
      if (type === JSON_TYPE) {
        expect([route, answer.status, faultsOf(jsonSchemaAt(place), answer.body)]).toEqual([route, answer.status, []]);
      }
    }
  });

  it('has a tested schema for every JSON response', () => {
    const good = nodeRoutes(node.deps).flatMap(({ method, path, description: { success } }) =>
      Object.keys(success)
        .filter((status) => status !== '503')
        .map((status) => [`${method} ${path}`, Number(status)] as const),
    );
    for (const [route, status] of good) {
      const isMet = met.some((one) => one.route === route && one.answer.status === status);
      expect([route, status, isMet]).toEqual([route, status, true]);
      const place = placeOf(route, status);
      const isJson = at(document, ...place, 'content', JSON_TYPE) !== undefined;
      const schema = at(document, ...jsonSchemaAt(place));
      if (isJson) expect([route, Object.keys(objectAt(schema))]).not.toEqual([route, []]);
    }
  });

  it('lists every error code that occurs', () => {
    const refused = met.filter(({ answer }) => answer.status >= 400);
    expect(new Set(refused.map(({ answer }) => at(answer.body, 'error'))).size).toBeGreaterThan(12);
    for (const { route, answer } of refused) {
      const codes = at(document, ...jsonSchemaAt(placeOf(route, answer.status)), 'properties', 'error', 'enum');
      expect([route, codes]).toEqual([route, expect.arrayContaining([at(answer.body, 'error')])]);
    }
  });

  it('has examples that match its schemas', () => {
    let seen = 0;
    const look = (value: JsonValue | undefined, place: readonly string[]): void => {
      const inside: readonly JsonValue[] = Array.isArray(value) ? value : [];
      for (const [index, inner] of inside.entries()) look(inner, [...place, String(index)]);
      if (!isJsonObject(value)) return;
      const { examples } = value;
      if (Array.isArray(examples)) {
        seen += examples.length;
        for (const example of examples) expect([place, faultsOf(place, example)]).toEqual([place, []]);
      }
      for (const [name, inner] of Object.entries(value)) if (name !== 'examples') look(inner, [...place, name]);
    };
    look(document, []);
    expect(seen).toBeGreaterThan(5);
  });

  it('detects additional and missing members', () => {
    const place = jsonSchemaAt(placeOf('GET /health', 200));
    expect(faultsOf(place, { status: 'ok', more: 1 })).not.toEqual([]);
    expect(faultsOf(place, {})).not.toEqual([]);
  });
});
