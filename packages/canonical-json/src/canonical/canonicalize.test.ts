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

  it('agrees with it on repeated shapes with other values', () => {
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

  it('keeps own __proto__ and toJSON and calls neither', () => {
    expect(canonicalize(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"z":1},"b":1}');
    expect(canonicalize({ z: 1, toJSON: 'data', a: 2 })).toBe('{"a":2,"toJSON":"data","z":1}');
  });

  it('leaves out undefined members at every level', () => {
    expect(canonicalize({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
    expect(canonicalize({ a: 1, b: undefined, c: 2 })).toBe('{"a":1,"c":2}');
    expect(canonicalize({ a: undefined })).toBe('{}');
    expect(canonicalize({ a: 1, b: 2, c: undefined })).toBe('{"a":1,"b":2}');
  });

  it('reads each member once, however deep undefined ones are', () => {
    let reads = 0;
    const leaf = (): number => {
      reads += 1;
      return 1;
    };
    let value: object = Object.defineProperty({}, 'a', { enumerable: true, get: leaf });
    for (let level = 0; level < 20; level += 1) value = { a: value, b: undefined };
    expect(canonicalize(value)).toBe(`${'{"a":'.repeat(21)}1${'}'.repeat(21)}`);
    expect(reads).toBe(1);
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

  it.each<[unknown, string, string]>([
    [{ a: [NaN] }, 'a[0]', 'not a finite number'],
    [undefined, '', 'undefined is not a JSON value'],
    [[1n], '[0]', 'bigint is not a JSON value'],
    [{ a: () => 1 }, 'a', 'function is not a JSON value'],
    [[Symbol('x')], '[0]', 'symbol is not a JSON value'],
    [[new Date(0)], '[0]', 'not a plain JSON object'],
    [nested(MAX_DEPTH.canonical + 1), '[0]'.repeat(160), 'nested deeper than 160 levels'],
    [JSON.parse(`${'{"a":'.repeat(160)}{}${'}'.repeat(160)}`), `a${'.a'.repeat(159)}`, 'nested deeper than 160 levels'],
    // The first in canonical order, after what has no fault.
    [{ z: NaN, a: [null, true, 1, 'é"', {}, [], undefined], u: undefined }, 'a[6]', 'undefined is not a JSON value'],
    [{ z: NaN, y: 1n, a: { b: undefined } }, 'y', 'bigint is not a JSON value'],
    [{ z: [NaN], a: nested(100), b: nested(159) }, 'z[0]', 'not a finite number'],
  ])('names place and rule of the first fault, %#', (value, path, rule) => {
    const message = path === '' ? rule : `${path}: ${rule}`;
    expect(() => canonicalize(value)).toThrow(
      expect.objectContaining({ name: 'JsonError', code: 'NO_CANONICAL_FORM', path, rule, message }),
    );
  });

  it('passes on an error that is not its refusal', () => {
    const failing = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new RangeError('from the getter');
      },
    });
    expect(() => canonicalize(failing)).toThrow(RangeError);
    let isRead = false;
    const failingOnce = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        if (isRead) return 1;
        isRead = true;
        throw new RangeError('from the getter');
      },
    });
    expect(() => canonicalize(failingOnce)).toThrow(RangeError);
  });

  it('writes a value whose getter canonicalizes another', () => {
    const value = Object.defineProperty({ a: 'é', c: [] }, 'b', {
      enumerable: true,
      get: () => canonicalize({ z: ['other'] }),
    });
    expect(canonicalize([value])).toBe(String.raw`[{"a":"é","b":"{\"z\":[\"other\"]}","c":[]}]`);
  });

  it('refuses a value that changes while it is read', () => {
    const values = [NaN, 1, 1];
    const changing = Object.defineProperty({}, 'a', { enumerable: true, get: () => values.shift() });
    expect(() => canonicalize(changing)).toThrow(
      expect.objectContaining({ code: 'NO_CANONICAL_FORM', path: '', rule: 'has no canonical form' }),
    );
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
    const refuses = (refused: unknown, path: string, rule: string): void => {
      const fault: unknown = expect.objectContaining({ code: 'NO_CANONICAL_FORM', path, rule });
      expect(() => jcsV1.canonicalize(refused)).toThrow(fault);
    };
    refuses(value, '', 'lone surrogate in a member name');
    refuses(['\ud800'], '[0]', 'lone surrogate');
    refuses([{ a: '\u{1f600}' }, { a: 'x\udc00' }], '[1].a', 'lone surrogate');
    // The legacy profile has other faults than these.
    const fault: unknown = expect.objectContaining({ path: '[1]', rule: 'not a finite number' });
    expect(() => svcV1.canonicalize(['\ud800', NaN])).toThrow(fault);
    expect(() => svcV1.canonicalize([{ '\ud800': 1 }, NaN])).toThrow(fault);
  });

  it('have the names that reports give them', () => {
    expect([svcV1.name, jcsV1.name]).toEqual(['svc-v1', 'jcs-v1']);
  });

  it('are compared with an implementation whose two faults are known', () => {
    expect(oracle({ z: 1, toJSON: 'data', a: 2 })).not.toBe(svcV1.canonicalize({ z: 1, toJSON: 'data', a: 2 }));
    expect(oracle(['\ud800'])).toBe('["\\ud800"]');
  });
});
