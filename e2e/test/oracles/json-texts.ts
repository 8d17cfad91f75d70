import fc from 'fast-check';

/** Spellings that decide something: ends of ranges, long literals, other forms of one number. */
const literals = fc.constantFrom(
  ...['0', '-0', '-0.0', '0e5', '1e400', '-1e400', '1e-400', '0.0e-400', '5e-324', '2e-324', '1e21', '1e23', '1E+2'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '9007199254740993.0', '9007199254740993e0'],
  ...[
    '123456789012345680000',
    '123456789012345678901',
    '1000000000000000000000',
    '0.1e1',
    '1.50',
    '333333333.33333329',
  ],
  ...['null', 'true', 'false'],
);
const wrong = fc.constantFrom('01', '+1', '.5', '1.', '1e', '0x1', 'NaN', 'Infinity', '-', 'nul', 'True', '1-1', '');
const numbers = fc.oneof(
  { weight: 8, arbitrary: literals },
  { weight: 1, arbitrary: wrong },
  { weight: 8, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  { weight: 4, arbitrary: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: -999, max: 999 }), fc.nat(99_999), fc.integer({ min: -350, max: 350 }))
      .map(([whole, fraction, exponent]) => `${whole}.${fraction}e${exponent}`),
  },
);

const unit = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('a', 'b', '0', 'é', '€', '😀', '\ufb33', '\u007f', '\u2028', ' ') },
  {
    weight: 10,
    arbitrary: fc.constantFrom('\\n', '\\/', '\\"', '\\\\', '\\u0000', '\\u00e9', '\\u20AC', '\\uD83D\\ude00'),
  },
  { weight: 2, arbitrary: fc.constantFrom('\\ud800', '\\udc00', '\\ud83d') },
  { weight: 1, arbitrary: fc.constantFrom('\\u12', '\\x', '\\', '\t', '\n', '"', '\0') },
  { weight: 5, arbitrary: fc.nat(0xffff).map((code) => `\\u${code.toString(16).padStart(4, '0')}`) },
  { weight: 5, arbitrary: fc.string({ unit: 'grapheme', maxLength: 1 }).map((text) => text.replace(/["\\]/g, 'x')) },
);
const strings = fc.oneof(
  fc.constantFrom('"__proto__"', '"constructor"', '"a"', '"b"', '""', '"\\u0061"', '"10"', '"9"'),
  fc.array(unit, { maxLength: 6 }).map((units) => `"${units.join('')}"`),
);
const space = fc.oneof({ weight: 50, arbitrary: fc.constantFrom('', '', ' ', '\n', '\t \r') }, fc.constant('\v'));
const comma = fc.oneof({ weight: 50, arbitrary: fc.constantFrom(',', ', ') }, fc.constantFrom(',,', ''));

const joined = (open: string, close: string, items: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.array(items, { maxLength: 5 }), comma, space).map(([all, by, gap]) => open + gap + all.join(by) + close);

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(numbers, strings),
    joined('[', ']', tie('value')),
    joined(
      '{',
      '}',
      fc.tuple(strings, space, tie('value')).map(([name, gap, inner]) => `${name}${gap}:${inner}`),
    ),
  ),
}));

/** Deep texts around the limits of the parser and of the canonical forms. */
const deep = fc
  .tuple(fc.constantFrom(60, 63, 64, 65, 127, 128, 129, 159, 160, 161, 255, 256, 257, 511, 512, 513), fc.boolean())
  .map(([depth, isList]) =>
    isList ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  );

/** Texts that are JSON, nearly JSON, or JSON that breaks a strict rule. */
export const jsonTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 40, arbitrary: fc.tuple(space, value, space).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: deep },
);
