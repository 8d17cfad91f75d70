import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonError } from '../errors.js';
import { appendPath } from '../value/path.js';
import { MAX_DEPTH, parseJson } from './parse.js';

const strict = (path: string, rule: unknown = expect.any(String)): unknown =>
  expect.objectContaining({ code: 'JSON_NOT_STRICT', path, rule });
const syntax: unknown = expect.objectContaining({ code: 'JSON_SYNTAX' });
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe('strict JSON', () => {
  it('parses what JSON.parse parses, when it breaks no rule', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses with a JsonError whatever JSON.parse refuses', () => {
    const almost = fc.stringMatching(/^[[\]{}",:0-9eE.+\\u a-f-]{0,30}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), almost), (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(() => parseJson(text)).toThrow(JsonError);
          return;
        }
        try {
          expect(parseJson(text)).toEqual(expected);
        } catch (error) {
          expect(error).toMatchObject({ code: 'JSON_NOT_STRICT' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":{"b":[{"c":1,"c":1}]}}', 'a.b[0].c'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"\\u00e9":1,"é":2}', '["é"]'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', '[""]'],
    ['{"a\\"":1,"a\\"":2}', '["a\\""]'],
    ['{"x":"a,\\"x\\":","y":{"x":1},"x":2}', 'x'],
    ['[[{"a b":1,"a b":2}]]', '[0][0]["a b"]'],
    [`{${Array.from({ length: 30 }, (_, index) => `"k${index}":0`).join(',')},"k29":1}`, 'k29'],
  ])('names the duplicate key in %s', (text, path) => {
    expect(() => parseJson(text)).toThrow(strict(path));
  });

  it('finds a duplicate key after any other content', () => {
    const text = fc
      .string({ unit: fc.constantFrom('\\', '"', 'a', '{', ']', ',', '\n') })
      .map((each) => JSON.stringify(each));
    const before = fc.oneof(
      text,
      fc.array(text).map((all) => `[${all.join(' , ')}]`),
      fc.array(text, { maxLength: 1 }).map((all) => `[[${all.join()}],{"b":[]}]`),
      fc.array(text, { maxLength: 1 }).map((all) => `{${all.map((name) => `${name}:[{}]`).join()}}`),
    );
    fc.assert(
      fc.property(text, before, (name, value) => {
        const key = JSON.parse(name) as string;
        const once = `{"first":${value}, ${name}:1}`;
        expect(parseJson(once)).toEqual(JSON.parse(once));
        expect(() => parseJson(`[${value},{"first":${value},${name}:1 , ${name}:2}]`)).toThrow(
          strict(appendPath('[1]', key), 'duplicate key'),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('names the rule that is broken', () => {
    const cases: [string | Uint8Array, string, string][] = [
      ['{"a":1e309}', 'a', 'number too large'],
      ['[1e-400]', '[0]', 'number too small, it would become 0'],
      ['[ 9007199254740993]', '[0]', 'integer beyond 2^53-1 that a double cannot hold exactly'],
      ['[\n-9007199254740993 ]', '[0]', 'integer beyond 2^53-1 that a double cannot hold exactly'],
      ['{'.repeat(200), '[""]'.repeat(130), 'nested deeper than 130 levels'],
      [bytes(0x22, 0xff, 0x22), '', 'not valid UTF-8'],
    ];
    for (const [source, path, rule] of cases) expect(() => parseJson(source)).toThrow(strict(path, rule));
  });

  it.each<[string, Uint8Array]>([
    ['little-endian', Buffer.from('\ufeff{"a":1}', 'utf16le')],
    ['little-endian, without a byte order mark', Buffer.from(' [1]', 'utf16le')],
    ['big-endian', Buffer.from('\ufeff{"a":1}', 'utf16le').swap16()],
    ['big-endian, without a byte order mark', Buffer.from('"a"', 'utf16le').swap16()],
    ['a byte order mark of UTF-16 alone', bytes(0xfe, 0xff)],
  ])('names UTF-16 text: %s', (_name, text) => {
    expect(() => parseJson(text)).toThrow(
      expect.objectContaining({ code: 'JSON_SYNTAX', path: '', rule: expect.stringMatching(/^UTF-16 text: /) }),
    );
  });

  it.each([[bytes()], [bytes(0)], [bytes(0, 0, 0, 0)], [bytes(0x22, 0, 0x22)], [Buffer.from('{"a"\0}')]])(
    'does not call other bytes UTF-16: %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(expect.objectContaining({ rule: expect.not.stringMatching(/UTF-16/) }));
    },
  );

  it('takes the same key in different objects', () => {
    expect(parseJson('{"a":{"a":1},"b":[{"a":1},{"a":1}]}')).toEqual({ a: { a: 1 }, b: [{ a: 1 }, { a: 1 }] });
  });

  it.each([
    ['9007199254740993', ''],
    ['9007199254740993.0', ''],
    ['-9007199254740993.000', ''],
    ['{"n":[1,12345678901234567890]}', 'n[1]'],
    ['{"n":-9007199254740993}', 'n'],
    ['{"n":1000000000000000000000}', 'n'],
    ['{"n":1e309}', 'n'],
    ['{"n":-1E+400}', 'n'],
    ['{"n":1e-324}', 'n'],
    ['{"n":0.5e-400}', 'n'],
    [`{"n":0.${'0'.repeat(330)}1}`, 'n'],
    [`{"n":${'9'.repeat(400)}}`, 'n'],
  ])('refuses a number that a double would silently change: %s', (text, path) => {
    expect(() => parseJson(text)).toThrow(strict(path));
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992],
    ['-9007199254740992', -9007199254740992],
    ['123456789012345680000', 123456789012345680000],
    ['9007199254740992.0', 9007199254740992],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', 5e-324],
    ['0e-999', 0],
    ['-0.0e0', -0],
    ['9007199254740993e0', 9007199254740992],
    ['-9007199254740993e00', -9007199254740992],
    ['9007199254740993.5', 9007199254740994],
    ['0.1000000000000000055511151231257827', 0.1],
  ])('takes %s', (text, value) => {
    expect(parseJson(text)).toBe(value);
  });

  it.each([
    [96, 96],
    [MAX_DEPTH.body, 128],
    [MAX_DEPTH.text, 130],
    [MAX_DEPTH.canonical, 160],
  ])('counts containers: %d levels are taken where %d may be', (limit, levels) => {
    const text = (depth: number): string => `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`;
    expect(() => parseJson(text(levels), { maxDepth: limit })).not.toThrow();
    expect(() => parseJson(`[${text(levels)}]`, { maxDepth: limit })).toThrow(
      strict(`[0]${'.a[0]'.repeat(levels / 2)}`.replace(/\[0\]$/, '')),
    );
  });

  it('refuses ten million brackets at once', () => {
    expect(() => parseJson('['.repeat(10_000_000))).toThrow(strict('[0]'.repeat(130)));
    expect(() => parseJson('{"a":'.repeat(2_000_000))).toThrow(JsonError);
  });

  it('does not slow down on hostile strings', () => {
    const long = '\\\\'.repeat(1_000_000);
    expect(parseJson(`["${long}"]`)).toEqual(['\\'.repeat(1_000_000)]);
    expect(() => parseJson(`["${'\\"'.repeat(1_000_000)}`)).toThrow(syntax);
    expect(() => parseJson(`{${'"'.repeat(1_000_001)}`)).toThrow(JsonError);
  });

  it('keeps an own __proto__ as data', () => {
    const value = parseJson('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
  });

  it.each([
    ['no UTF-8', bytes(0x22, 0xff, 0x22)],
    ['an overlong form', bytes(0x22, 0xc0, 0xaf, 0x22)],
    ['half a surrogate pair in UTF-8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['a cut sequence', bytes(0x22, 0xe2, 0x82, 0x22)],
  ])('refuses bytes that are %s', (_, source) => {
    expect(() => parseJson(source)).toThrow(strict(''));
  });

  it('takes UTF-8 and refuses a byte order mark', () => {
    expect(parseJson(new TextEncoder().encode('"é😀"'))).toBe('é😀');
    expect(() => parseJson(bytes(0xef, 0xbb, 0xbf, 0x31))).toThrow(syntax);
    expect(() => parseJson(bytes(0xff, 0xfe, 0x31, 0x00))).toThrow(syntax);
  });

  it('skips one byte order mark of a file', () => {
    const skipsByteOrderMark = true;
    expect(parseJson(bytes(0xef, 0xbb, 0xbf, 0x31), { skipsByteOrderMark })).toBe(1);
    expect(parseJson('\ufeff{"a":"\ufeff"}', { skipsByteOrderMark })).toEqual({ a: '\ufeff' });
    expect(() => parseJson('\ufeff\ufeff1', { skipsByteOrderMark })).toThrow(syntax);
    expect(() => parseJson('1\ufeff', { skipsByteOrderMark })).toThrow(syntax);
  });

  it('never quotes the text and truncates a long name', () => {
    const messageOf = (text: string): string => {
      try {
        parseJson(text);
      } catch (error) {
        return String(error);
      }
      return '';
    };
    expect(messageOf('{"a":secret}')).toBe('JsonError: not valid JSON: line 1, column 6: expected a value');
    expect(messageOf('{"a":123456789012345678901}')).not.toContain('12345678901');
    expect(messageOf(`{"${'n'.repeat(5000)}":1e400}`).length).toBeLessThan(200);
  });
});
