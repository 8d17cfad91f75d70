import { expectLinearGrowth, list, namedBy, type Case } from './cases.js';
import { growth } from '@cer/http-service/testing/operations';
import { expect, it } from '@jest/globals';
import { jcsV1, JsonError, parseJson, svcV1 } from '@cer/canonical-json';

function expectRefusal(work: () => unknown): void {
  expect(work).toThrow(JsonError);
}

const texts: readonly (readonly [string, (size: number) => string])[] = [
  ['numbers', (size) => `[${list(size, (at) => `${at}.5`).join()}]`],
  ['members', (size) => JSON.stringify(namedBy(size, (at) => at))],
  ['members with escapes', (size) => `{${list(size, (at) => `"\\u0061${at}\\"":1`).join()}}`],
  ['objects', (size) => JSON.stringify(list(size, (at) => ({ at, name: 'n', inner: [null] })))],
  ['escapes', (size) => `["${'\\\\'.repeat(size)}"]`],
  ['quotes', (size) => `["${'\\"'.repeat(size)}"]`],
  ['digits', (size) => `[0.${'1'.repeat(size)}]`],
  ['white space', (size) => `[${' \n'.repeat(size)}1]`],
];
const faulty: readonly (readonly [string, (size: number) => string])[] = [
  ['duplicate names', (size) => `{${'"a":1,'.repeat(size)}"a":1}`],
  ['an open end', (size) => '[1,'.repeat(100) + '1,'.repeat(size)],
  ['open brackets', (size) => '['.repeat(size)],
  ['lines', (size) => `[${'\n'.repeat(size)}x`],
  ['a long string without end', (size) => `["${'\\"'.repeat(size)}`],
];

const reading: readonly Case[] = [
  ...texts.map(([name, make]): Case => [
    `strict JSON: ${name}`,
    500,
    (size) => {
      const text = make(size);
      return () => parseJson(text);
    },
  ]),
  ...faulty.map(([name, make]): Case => [
    `JSON that is refused: ${name}`,
    500,
    (size) => {
      const text = make(size);
      return () => {
        expectRefusal(() => parseJson(text));
      };
    },
  ]),
  ...[jcsV1, svcV1].flatMap(({ name, canonicalize }) =>
    texts.slice(0, 6).map(([text, make]): Case => [
      `${name}: ${text}`,
      500,
      (size) => {
        const value = parseJson(make(size));
        return () => canonicalize(value);
      },
    ]),
  ),
  [
    'the fault of a value without canonical form',
    300,
    (size) => {
      const value = [...list(size, (at) => ({ at })), NaN];
      return () => {
        expectRefusal(() => jcsV1.canonicalize(value));
      };
    },
  ],
];

expectLinearGrowth(reading);

it('detects work that grows with the input squared', async () => {
  const { factor } = await growth(50, (size) => () => {
    const seen: number[] = [];
    for (let at = 0; at < size; at += 1) {
      if (!seen.some((each) => each === at)) seen.push(at);
    }
  });
  expect(factor).toBeGreaterThan(10);
});
