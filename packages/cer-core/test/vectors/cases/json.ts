import { attest, canonical, change, hashText, keySet, seal, v1, type JsonObject } from '../forge.js';
import { fails, group, passes, raw, refused, type CaseLine, type Vector } from '../vector.js';

const text = JSON.stringify(seal(v1()));
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
/** The sealed bundle with JSON text put in at the head of its snapshot or of itself. */
const inSnapshot = (members: string): string => text.replace('"snapshot":{', `"snapshot":{${members},`);
const atTop = (members: string): string => text.replace('{', `{${members},`);
const withProto = seal({
  ...v1(),
  snapshot: { ...(JSON.parse('{"__proto__":{"a":1}}') as JsonObject), ...(v1()['snapshot'] as JsonObject) },
});

/** Members in reverse order, with white space: other text, same value. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, backwards(inner)]),
  );
}

/** Faults of JSON's grammar by name. */
const NOT_JSON: readonly (readonly [name: string, text: string])[] = [
  ['members-without-a-comma', '{"a":1 "b":2}'],
  ['comma-after-the-last-member', '{"a":1,}'],
  ['name-that-is-not-text', '{a:1}'],
  ['member-without-a-colon', '{"a" 1}'],
  ['items-without-a-comma', '[1 2]'],
  ['comma-after-the-last-item', '[1,]'],
  ['text-after-the-value', '{} x'],
  ['unknown-escape', '"\\q0041"'],
  ['escape-in-upper-case', '"\\U0041"'],
  ['escape-without-its-digits', '"\\u00zz"'],
  ['control-character-in-text', '"\u0001"'],
];

export async function jsonCases(): Promise<Vector[]> {
  const certified = await attest(seal(v1()));
  const withSeed = seal(v1({ parameters: { seed: 9007199254740992 } }));
  const integerLike = seal(v1({ parameters: { '10': 1, '9': 2, a: 3 } }));
  const withToJson = seal(v1({ parameters: { z: 1, toJSON: 2, a: 3 } }));
  const escaped = seal(v1({ note: 'plain' }));
  const withEscapes = seal(v1({ note: '"\\/\b\f\n\r\té\u{1F600}' }));
  const mismatch = fails('CERTIFICATE_HASH_MISMATCH', 'certificateHash');
  return group('json', 'Strict JSON', keySet(), [
    ['duplicate-key', 'No duplicate keys.', raw(atTop('"version":"0.1"')), refused('JSON_NOT_STRICT', 'version')],
    [
      'duplicate-key-in-snapshot',
      'No duplicate keys.',
      raw(inSnapshot('"a":1,"a":1')),
      refused('JSON_NOT_STRICT', 'snapshot.a'),
    ],
    [
      'duplicate-key-spelled-with-escapes',
      'Keys are compared after their escapes are resolved.',
      raw(inSnapshot('"a":1,"\\u0061":2')),
      refused('JSON_NOT_STRICT', 'snapshot.a'),
    ],
    ...[64, 65].map((units): CaseLine => [
      `duplicate-key-of-${units}-units`,
      'Names longer than 64 units are cut in messages.',
      raw(atTop(`"${'a'.repeat(units)}":1,"${'a'.repeat(units)}":1`)),
      refused('JSON_NOT_STRICT', units === 64 ? 'a'.repeat(64) : `["${'a'.repeat(64)}…"]`),
    ]),
    [
      'duplicate-key-cut-in-a-pair',
      'Names longer than 64 units are cut in messages.',
      raw(atTop(`"${'a'.repeat(63)}\u{1F600}":1,"${'a'.repeat(63)}\u{1F600}":1`)),
      refused('JSON_NOT_STRICT', `["${'a'.repeat(63)}\\ud83d…"]`),
    ],
    [
      'duplicate-key-with-a-lone-surrogate-that-is-cut',
      'Names longer than 64 units are cut in messages.',
      raw(atTop(`"\\udc00${'a'.repeat(64)}":1,"\\udc00${'a'.repeat(64)}":1`)),
      refused('JSON_NOT_STRICT', `["\\udc00${'a'.repeat(63)}…"]`),
    ],
    [
      'duplicate-proto-key',
      'No duplicate keys, whatever they are called.',
      raw(inSnapshot('"__proto__":1,"__proto__":2')),
      refused('JSON_NOT_STRICT', 'snapshot.__proto__'),
    ],
    [
      'duplicate-among-many-keys',
      'No duplicate keys, however many there are.',
      raw(inSnapshot([...Array.from({ length: 40 }, (_, index) => `"k${index}":1`), '"k3":2'].join(','))),
      refused('JSON_NOT_STRICT', 'snapshot.k3'),
    ],
    [
      'integer-that-a-double-would-round',
      'No plain integer beyond 2^53-1 whose canonical text differs from what was written.',
      raw(inSnapshot('"a":[0,9007199254740993]')),
      refused('JSON_NOT_STRICT', 'snapshot.a[1]'),
    ],
    [
      'integer-with-a-fraction-of-zeros-that-a-double-would-round',
      'The same holds with a fraction of zeros.',
      raw(inSnapshot('"a":[0,9007199254740993.00]')),
      refused('JSON_NOT_STRICT', 'snapshot.a[1]'),
    ],
    [
      'integer-written-out-beyond-1e21',
      'No plain integer beyond 2^53-1 whose canonical text differs from what was written.',
      raw(inSnapshot('"a":1000000000000000000000')),
      refused('JSON_NOT_STRICT', 'snapshot.a'),
    ],
    [
      'integer-2-to-the-53',
      'A plain integer beyond 2^53-1 is fine where its canonical text is what was written.',
      withSeed,
      passes('PSSS'),
    ],
    [
      'number-overflow',
      'No overflow to infinity.',
      raw(inSnapshot('"a":1e400')),
      refused('JSON_NOT_STRICT', 'snapshot.a'),
    ],
    [
      'negative-overflow',
      'No overflow to infinity.',
      raw(inSnapshot('"a":-1e400')),
      refused('JSON_NOT_STRICT', 'snapshot.a'),
    ],
    [
      'number-underflow',
      'No non-zero literal that becomes 0.',
      raw(inSnapshot('"a":1e-400')),
      refused('JSON_NOT_STRICT', 'snapshot.a'),
    ],
    [
      'number-underflow-without-exponent',
      'No non-zero literal that becomes 0.',
      raw(inSnapshot(`"a":0.${'0'.repeat(400)}1`)),
      refused('JSON_NOT_STRICT', 'snapshot.a'),
    ],
    [
      'zero-with-an-exponent',
      'A zero may be written with any exponent.',
      raw(text.replace('"temperature":0', '"temperature":0e-400')),
      passes('PSSS'),
    ],
    [
      'nested-131-levels',
      'A file may have 130 levels of containers; deeper is refused.',
      raw(atTop(`"unbound":${nested(130)}`)),
      refused('JSON_NOT_STRICT', `unbound${'[0]'.repeat(129)}`),
    ],
    [
      'nested-130-levels',
      'A file may have 130 levels of containers.',
      raw(atTop(`"unbound":${nested(129)}`)),
      passes('PSSS'),
    ],
    [
      'answer-around-128-levels',
      'The answer to a submission of 128 levels verifies, also as {bundle}.',
      raw(`{"bundle":{"cer":${atTop(`"unbound":${nested(127)}`)}}}`),
      passes('PSSS'),
    ],
    [
      'deep-text-that-is-no-json',
      'Deeper is refused at once, never a stack overflow.',
      raw('['.repeat(5000)),
      refused('JSON_NOT_STRICT', '[0]'.repeat(130)),
    ],
    [
      'trailing-comma',
      'Text that is not JSON is a syntax error.',
      raw(text.replace(/}$/, ',}')),
      refused('JSON_SYNTAX'),
    ],
    ['truncated', 'Text that is not JSON is a syntax error.', raw(text.slice(0, -1)), refused('JSON_SYNTAX')],
    [
      'byte-order-mark',
      'Text that is not JSON is a syntax error; a byte order mark is not white space.',
      raw(`\ufeff${text}`),
      refused('JSON_SYNTAX'),
    ],
    [
      'raw-control-character',
      'Text that is not JSON is a syntax error.',
      raw(inSnapshot('"a":"\n"')),
      refused('JSON_SYNTAX'),
    ],
    ...NOT_JSON.map(([name, text]): CaseLine => [
      name,
      'Text that is not JSON is refused as such.',
      raw(text),
      refused('JSON_SYNTAX'),
    ]),
    [
      'every-escape',
      'Other text, same value: the hash is over the value.',
      raw(JSON.stringify({ ...escaped, certificateHash: withEscapes['certificateHash'] ?? null }).replace('"plain"', () => '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00"')),
      passes('PSSS'),
    ],
    [
      'space-around-everything',
      'Other text, same value: the hash is over the value.',
      raw(` \r\n\t${JSON.stringify(seal(v1()), null, 1).replaceAll('": ', '"\t:\r\n')}\n `),
      { status: 'VERIFIED' },
    ],
    ['nothing', 'Text that is not JSON is a syntax error.', raw(''), refused('JSON_SYNTAX')],
    ['array', 'A bundle is an object.', [], fails('SCHEMA_ERROR', '')],
    ['null', 'A bundle is an object.', null, fails('SCHEMA_ERROR', '')],
    ['string', 'A bundle is an object.', 'sha256:', fails('SCHEMA_ERROR', '')],
    [
      'empty-object',
      'An unknown bundle type fails closed.',
      {},
      fails('SCHEMA_ERROR', 'bundleType', 'FSSS', { reasonCodes: ['SCHEMA_ERROR', 'SCHEMA_VERSION_UNSUPPORTED'] }),
    ],
    [
      'proto-member-is-hashed',
      'An own __proto__ key is kept and hashed.',
      withProto,
      passes('PSSS'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'proto-member-changed',
      'An own __proto__ key is kept and hashed.',
      raw(JSON.stringify(withProto).replace('{"a":1}', '{"a":2}')),
      mismatch,
      { heading: 'Canonicalization profiles' },
    ],
    [
      'proto-member-removed',
      'An own __proto__ key is kept and hashed.',
      raw(JSON.stringify(withProto).replace('"__proto__":{"a":1},', '')),
      mismatch,
      { heading: 'Canonicalization profiles' },
    ],
    [
      'integer-like-keys',
      'Integer-like keys sort as strings.',
      integerLike,
      passes('PSSS'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'tojson-member',
      'An own toJSON member that is data is data.',
      withToJson,
      passes('PSSS'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'key-order-and-white-space',
      'Object keys are sorted, so their order in the text binds nothing.',
      raw(JSON.stringify(backwards(certified), null, 3)),
      passes('PPPP'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'numbers-spelled-otherwise',
      'Numbers are hashed in their shortest form.',
      raw(text.replace('"temperature":0', '"temperature":-0.0e1')),
      passes('PSSS'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'escapes-spelled-otherwise',
      'Strings are hashed with minimal escapes.',
      raw(text.replace('"example"', '"\\u0065xample"')),
      passes('PSSS'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'no-unicode-normalization',
      'No Unicode normalization.',
      change(seal(v1({ model: 'caf\u00e9' })), 'snapshot.model', 'cafe\u0301'),
      mismatch,
      { heading: 'Canonicalization profiles' },
    ],
    [
      'keys-sort-by-utf-16-units',
      'Object keys are sorted by UTF-16 code unit.',
      seal(v1({ parameters: { '\ufb33': 1, '\u{1f600}': 2, '\u00f6': 3, '1': 4 } })),
      passes('PSSS'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'lone-surrogate-escaped-under-svc-v1',
      'A lone surrogate is written by svc-v1 as a lower-case escape.',
      seal(v1({ note: '\ud800' })),
      passes('PSSS'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'lone-surrogate-refused-under-jcs-v1',
      'A lone surrogate is refused by jcs-v1.',
      seal(v1({ protocolVersion: '1.3.0', note: '\ud800' })),
      fails('CANONICALIZATION_ERROR', 'snapshot.note'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'lone-surrogate-in-a-name-refused-under-jcs-v1',
      'A lone surrogate is refused by jcs-v1.',
      seal(v1({ protocolVersion: '1.3.0', parameters: { '\udfff': 1 } })),
      fails('CANONICALIZATION_ERROR', 'snapshot.parameters'),
      { heading: 'Canonicalization profiles' },
    ],
    [
      'lone-surrogate-in-a-string-hashed-as-bytes',
      'A string hashed as bytes must be well-formed Unicode under every protocol.',
      seal(v1({ input: '\ud800' })),
      fails('CANONICALIZATION_ERROR', 'snapshot.input'),
      { heading: 'Hashing values' },
    ],
    [
      'upper-case-escape-of-a-lone-surrogate',
      'svc-v1 escapes in lower case: another text is another hash.',
      {
        ...v1({ note: '\ud8ff' }),
        certificateHash: hashText(canonical(v1({ note: '\ud8ff' })).replace('\\ud8ff', '\\uD8FF')),
      },
      mismatch,
      { heading: 'Canonicalization profiles' },
    ],
  ]);
}
