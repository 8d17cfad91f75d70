import { describe, expect, it } from '@jest/globals';
import { parseJson, type JsonValue } from '@cer/canonical-json';
import fc from 'fast-check';
import { MAX_BATCH_LINES } from '../../attestation-node/certify-batch.js';
import { batchElements } from './batch-elements.js';

const elementsOf = (body: string): readonly string[] | null =>
  batchElements(Buffer.from(body))?.map((element) => element.toString()) ?? null;

/** Characters that JSON is made of, in any order. */
const shards = fc
  .array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', ' ', '\n', 'a', '1', 'é', '"executions"'), {
    maxLength: 12,
  })
  .map((all) => all.join(''));

describe('the elements of a batch', () => {
  it('are those that its JSON has', () => {
    const spaced = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }), spaced, (executions, space) => {
        const body = JSON.stringify({ executions }, null, space);
        const elements = elementsOf(body) ?? [];
        expect(elements.map((element): unknown => JSON.parse(element))).toEqual(JSON.parse(JSON.stringify(executions)));
      }),
    );
  });

  it('are JSON only where the body is, and then have the same values', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('{"executions":[', ' { "executions" :\r\n[\t', '{"executions":[1,'),
        shards,
        (head, rest) => {
          const body = `${head}${rest}]}`;
          const values = valuesOf(elementsOf(body));
          if (values !== null) expect({ executions: values }).toEqual(parseJson(body));
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it.each([
    ['{"executions":[]}', ['']],
    ['{"executions":[1,{"a":[",]}"]}, "\\\\" ,"\\"]}"]}', ['1', '{"a":[",]}"]}', ' "\\\\" ', '"\\"]}"']],
    ['{"executions":[1,]}', ['1', '']],
  ])('of %s', (body, elements) => {
    expect(elementsOf(body)).toEqual(elements);
  });

  it.each([
    '',
    '[]',
    '{"executions":1}',
    '{"executions":[1],"more":[1]}',
    '{"more":1,"executions":[1]}',
    '{"\\u0065xecutions":[1]}',
    '{"executions":[1]]}',
    '\ufeff{"executions":[1]}',
    `{"executions":[${Array.from({ length: MAX_BATCH_LINES + 1 }, () => '1').join(',')}]}`,
  ])('are left to the parser of the whole body: %j', (body) => {
    expect(elementsOf(body)).toBeNull();
  });
});

function valuesOf(elements: readonly string[] | null): readonly JsonValue[] | null {
  try {
    return elements?.map((element) => parseJson(element)) ?? null;
  } catch {
    return null;
  }
}
