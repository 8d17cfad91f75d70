import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalize as oracle } from 'json-canonicalize';
import type { JsonValue } from '../value/json-value.js';
import { MAX_DEPTH, parseJson } from '../strict/parse.js';
import { jcsV1, svcV1 } from './canonicalize.js';

const profiles = [svcV1, jcsV1];
const refusal = (path: string): unknown => expect.objectContaining({ code: 'NO_CANONICAL_FORM', path });
const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

/** JSON with any well-formed text, integer-like and hostile names. */
const wellFormed = fc.string({ unit: 'grapheme' });
const names = fc.oneof(
  wellFormed,
  fc.constantFrom('__proto__', 'constructor', '10', '9', '', '\u20ac', '\ufb33', '\u{1f600}'),
);
const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(
      fc.constantFrom(null, true, false, -0, 1e21, 5e-324),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      wellFormed,
    ),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.array(fc.tuple(names, tie('json')), { maxLength: 6 }).map((members) => Object.fromEntries<JsonValue>(members)),
  ),
}));

/** The same value with members in another order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner ?? null)]),
  );
}

describe.each(profiles)('$name', ({ canonicalize }) => {
  it('writes the sample of RFC 8785, section 3.2.2', () => {
    const sample = parseJson(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    expect(canonicalize(sample)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts the members of RFC 8785, section 3.2.3', () => {
    const sample = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 };
    expect(Object.keys(JSON.parse(canonicalize(sample)) as object)).toEqual([
      '1',
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\u{1f600}',
      '\ufb33',
    ]);
    expect(canonicalize(sample)).toMatch(
      /^\{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3\}$/u,
    );
  });

  it('agrees with another implementation on any JSON value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalize(value)).toBe(oracle(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with it on objects of shapes it has seen before, with other values', () => {
    const shapes = fc.constantFrom(['b', 'a'], ['a', 'b'], ['b', 'a', 'c'], ['b', 'c', 'a'], ['10', '9', 'b'], ['b']);
    fc.assert(
      fc.property(fc.array(fc.tuple(shapes, json), { minLength: 2, maxLength: 12 }), (made) => {
        const value = made.map(([members, inner]) =>
          Object.fromEntries<JsonValue>(members.map((name) => [name, inner])),
        );
        expect(canonicalize(value)).toBe(oracle(value));
      }),
    );
  });

  it('is idempotent and blind to the order of members', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalize(value);
        expect(canonicalize(JSON.parse(text))).toBe(text);
        expect(canonicalize(reversed(value))).toBe(text);
      }),
    );
  });

  it('keeps an own __proto__ and an own toJSON, and calls neither', () => {
    expect(canonicalize(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"z":1},"b":1}');
    expect(canonicalize({ z: 1, toJSON: 'data', a: 2 })).toBe('{"a":2,"toJSON":"data","z":1}');
  });

  it('leaves out undefined members at every level', () => {
    expect(canonicalize({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
    expect(canonicalize({ a: 1, b: undefined, c: 2 })).toBe('{"a":1,"c":2}');
    expect(canonicalize({ a: undefined })).toBe('{}');
    expect(canonicalize({ a: 1, b: 2, c: undefined })).toBe('{"a":1,"b":2}');
  });

  it.each<[string, unknown, string]>([
    ['NaN', { a: [NaN] }, 'a[0]'],
    ['an infinity', { a: -Infinity }, 'a'],
    ['a BigInt', [1n], '[0]'],
    ['a function', { a: () => 1 }, 'a'],
    ['a toJSON function', { a: 1, toJSON: () => 1 }, 'toJSON'],
    ['a symbol', [Symbol('x')], '[0]'],
    ['undefined', undefined, ''],
    ['an undefined element', [1, undefined], '[1]'],
    ['a hole', [1, , 2], '[1]'],
    ['a Date', { a: new Date(0) }, 'a'],
    ['a Map', [new Map()], '[0]'],
    ['a Set', new Set(), ''],
    ['a boxed number', [Object(1)], '[0]'],
    [
      'a class instance',
      {
        a: new (class A {
          b = 1;
        })(),
      },
      'a',
    ],
    ['an object over another', Object.create({ a: 1 }), ''],
    ['161 levels', nested(MAX_DEPTH.canonical + 1), '[0]'.repeat(160)],
  ])('refuses %s and names its place', (_, value, path) => {
    expect(() => canonicalize(value)).toThrow(refusal(path));
    // The refusal leaves nothing behind.
    expect(canonicalize({ b: 1, a: 2 })).toBe('{"a":2,"b":1}');
  });

  it('takes 160 levels and objects without a prototype', () => {
    expect(canonicalize(nested(MAX_DEPTH.canonical))).toHaveLength(320);
    expect(canonicalize(Object.assign(Object.create(null) as object, { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
  });

  it('ends on a cycle', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => canonicalize(cycle)).toThrow(expect.objectContaining({ code: 'NO_CANONICAL_FORM' }));
  });
});

describe('the two profiles', () => {
  it('differ in lone surrogates only: svc-v1 escapes, jcs-v1 refuses', () => {
    const value = { 'k\udc00': ['\ud800x', '\u{1f600}'] };
    expect(svcV1.canonicalize(value)).toBe('{"k\\udc00":["\\ud800x","\u{1f600}"]}');
    expect(() => jcsV1.canonicalize(value)).toThrow(refusal(''));
    expect(() => jcsV1.canonicalize(['\ud800'])).toThrow(refusal('[0]'));
  });

  it('are compared with an implementation whose two faults are known', () => {
    expect(oracle({ z: 1, toJSON: 'data', a: 2 })).not.toBe(svcV1.canonicalize({ z: 1, toJSON: 'data', a: 2 }));
    expect(oracle(['\ud800'])).toBe('["\\ud800"]');
  });
});
