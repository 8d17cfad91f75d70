import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { checkQuery, checkRequest, parseJsonBody } from './parse-request.js';
import { ServiceError } from '../errors/service-error.js';

function refusalOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, error.message];
    throw error;
  }
}

const bodyOf = (text: string) => ({ body: Buffer.from(text) });
const parsed = (text: string, maxDepth?: number) =>
  refusalOf(() => parseJsonBody(bodyOf(text), maxDepth === undefined ? {} : { maxDepth }));

describe('a JSON body', () => {
  it('is parsed verbatim, including __proto__', () => {
    expect(JSON.stringify(parsed('{"__proto__":{"a":1},"b":[1,"\\ud800"]}'))).toBe(
      '{"__proto__":{"a":1},"b":[1,"\\ud800"]}',
    );
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"a": leaked}'],
    ['a repeated member', '{"a":"leaked","a":"leaked"}'],
    ['an integer that a double cannot hold', '{"a":9007199254740993}'],
    ['a number that overflows', '{"a":1e999}'],
    ['a byte order mark', '\ufeff{}'],
  ])('is refused with %s, without the value', (_name, text) => {
    expect(parsed(text)).toEqual(['VALIDATION_ERROR', expect.not.stringMatching(/leaked|9007199254740993/)]);
  });

  it('names the path of the fault', () => {
    expect(parsed('{"snapshot":{"tags":[{"a":1,"a":2}]}}')).toEqual([
      'VALIDATION_ERROR',
      expect.stringMatching(/^snapshot\.tags\[0\]/),
    ]);
  });

  it('is refused with invisible name characters shown by number', () => {
    expect(parsed('{"\u202egnp\u009b":1e999}')).toEqual([
      'VALIDATION_ERROR',
      '["\\u{202e}gnp\\u{9b}"]: number too large',
    ]);
  });

  it.each<[string, Buffer]>([
    ['with a byte order mark', Buffer.from('\ufeff{"a":1}', 'utf16le')],
    ['without one', Buffer.from('{"a":1}', 'utf16le')],
    ['of the other byte order', Buffer.from('\ufeff{"a":1}', 'utf16le').swap16()],
    ['of the other byte order, without a mark', Buffer.from('{"a":1}', 'utf16le').swap16()],
  ])('is named as UTF-16 %s', (_name, body) => {
    expect(refusalOf(() => parseJsonBody({ body }))).toEqual([
      'VALIDATION_ERROR',
      'UTF-16 text: encode it as UTF-8 (in PowerShell: Out-File -Encoding utf8)',
    ]);
  });

  it('is refused when it is not UTF-8', () => {
    expect(refusalOf(() => parseJsonBody({ body: Uint8Array.of(0x22, 0xff, 0x22) }))).toEqual([
      'VALIDATION_ERROR',
      expect.any(String),
    ]);
  });

  it('is refused when deeper than the route allows', () => {
    expect(parsed('[[1]]', 2)).toEqual([[1]]);
    expect(parsed('[[[1]]]', 2)).toEqual(['VALIDATION_ERROR', expect.any(String)]);
    expect(parsed('['.repeat(1_000_000))).toEqual(['VALIDATION_ERROR', expect.any(String)]);
  });
});

describe('a checked request', () => {
  const schema = z.object({ a: z.string(), b: z.string() });

  it('is the result of the schema', () => {
    expect(checkRequest(schema, { a: '1', b: '2' })).toEqual({ a: '1', b: '2' });
  });

  it('is refused with all faults at once', () => {
    expect(refusalOf(() => checkRequest(schema, { a: 1 }))).toEqual([
      'VALIDATION_ERROR',
      'a: must be a string;b: is required',
    ]);
  });

  it('may be a query without repeated parameters', () => {
    expect(checkQuery(schema, new URLSearchParams('a=1&b=2'))).toEqual({ a: '1', b: '2' });
    expect(refusalOf(() => checkQuery(schema, new URLSearchParams('a=1&a=2&b=2')))).toEqual([
      'VALIDATION_ERROR',
      '"a": must be given once',
    ]);
  });

  it('does not search a query for each of its names', () => {
    let searches = 0;
    class SearchedQuery extends URLSearchParams {
      override getAll(name: string): string[] {
        searches += 1;
        return super.getAll(name);
      }
    }
    const names = Array.from({ length: 1000 }, (_, index) => `a${index}`);
    checkQuery(z.object({}), new SearchedQuery(names.join('&')));
    expect(searches).toBeLessThan(10);
  });

  it('is refused with invisible name characters shown by number', () => {
    expect(refusalOf(() => checkRequest(z.strictObject({}), { '\u202egnp\n': 1 }))).toEqual([
      'VALIDATION_ERROR',
      'body: has unknown members: "\\u{202e}gnp\\n"',
    ]);
  });

  it('names a query in its faults', () => {
    expect(refusalOf(() => checkQuery(z.strictObject({}), new URLSearchParams('a=1')))).toEqual([
      'VALIDATION_ERROR',
      'query: has unknown members: a',
    ]);
  });
});
