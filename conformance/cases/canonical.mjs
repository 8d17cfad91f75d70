// Canonical bytes, seen from outside: a bundle that holds a raw input verifies only when its hash is computed over the
// same bytes. Texts and hashes are those of another implementation, of RFC 8785 and of this file, never of ours.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256, withHash } from '../canonical.mjs';

const PUBLISHED = join(
  import.meta.dirname,
  '..',
  '..',
  'packages',
  'canonical-json',
  'vectors',
  'canonicalization.json',
);
const TIME = '2026-01-02T03:04:05.678Z';

/** [name, the text as a producer writes it, its canonical text]; null: there is none under jcs-v1 */
const TEXTS = [
  ['members-by-utf-16-unit', '{"\\ufb33":1,"\\ud83d\\ude00":2,"a":3}', '{"a":3,"\ud83d\ude00":2,"\ufb33":1}'],
  ['integer-like-names-as-strings', '{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}'],
  ['empty-name-first', '{"a":1,"":2}', '{"":2,"a":1}'],
  ['case-sensitive-names', '{"b":1,"B":2}', '{"B":2,"b":1}'],
  ['nested-members', '{"b":{"d":1,"c":[{"f":1,"e":2}]}}', '{"b":{"c":[{"e":2,"f":1}],"d":1}}'],
  ['array-order-is-kept', '[3,1,2]', '[3,1,2]'],
  ['no-white-space', '[ 1 , { "a" : 2 } ]', '[1,{"a":2}]'],
  ['no-normalization', '["\\u00e9","e\\u0301"]', '["\u00e9","e\u0301"]'],
  [
    'minimal-escapes',
    '["\\u0041\\/\\u0008\\u0009\\u000a\\u000c\\u000d\\u0022\\u005c"]',
    '["A/\\b\\t\\n\\f\\r\\"\\\\"]',
  ],
  ['other-controls-in-lower-case', '["\\u001F\\u0000"]', '["\\u001f\\u0000"]'],
  ['delete-is-raw', '["\\u007f\\u0080"]', '["\u007f\u0080"]'],
  ['line-separators-are-raw', '["\\u2028\\u2029"]', '["\u2028\u2029"]'],
  ['proto-is-data', '{"b":1,"__proto__":{"x":1}}', '{"__proto__":{"x":1},"b":1}'],
  ['to-json-is-data', '{"toJSON":1,"constructor":2}', '{"constructor":2,"toJSON":1}'],
  ['negative-zero', '[-0,-0.0,0]', '[0,0,0]'],
  ['fraction-of-zeros', '[1.0,1.50,100.0]', '[1,1.5,100]'],
  ['exponents', '[1e0,1E3,1e+2,12e-1]', '[1,1000,100,1.2]'],
  ['largest-plain-integer', '[999999999999999900000]', '[999999999999999900000]'],
  ['empty-containers', '[[],{},""]', '[[],{},""]'],
];

/** IEEE 754 bits and their text, of RFC 8785, appendix B. */
const NUMBERS = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

export function canonicalCases() {
  const published = JSON.parse(readFileSync(PUBLISHED, 'utf8')).vectors;
  const ofOthers = published.flatMap(({ name, expected }) => {
    const isContainer = expected.canonical?.startsWith('{') || expected.canonical?.startsWith('[');
    const id = `published-${name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}`;
    return isContainer ? bothProtocols(id, expected.canonical, expected.sha256) : [];
  });
  const numbers = NUMBERS.flatMap(([bits, text]) =>
    bothProtocols(`number-${bits}`, `[${Number(text)}]`, sha256(`[${text}]`)),
  );
  const texts = TEXTS.flatMap(([name, text, canonicalText]) => [
    ...bothProtocols(name, text, sha256(canonicalText)),
    caseOf(`${name}-other-hash_fail`, '1.3.0', text, sha256(`${canonicalText} `), ['INPUT_HASH_MISMATCH']),
  ]);
  return [...texts, ...numbers, ...ofOthers, ...surrogates()];
}

function surrogates() {
  return [
    caseOf('lone-surrogate-svc-v1', '1.2.0', '["\\ud800"]', sha256('["\\ud800"]'), null),
    caseOf('lone-surrogate-jcs-v1_fail', '1.3.0', '["\\ud800"]', sha256('["\\ud800"]'), ['CANONICALIZATION_ERROR']),
    caseOf('lone-surrogate-in-text_fail', '1.2.0', '"\\ud800"', sha256('x'), ['CANONICALIZATION_ERROR']),
  ];
}

function bothProtocols(id, text, hash) {
  return ['1.2.0', '1.3.0'].map((protocol) => caseOf(`${id}-${protocol}`, protocol, text, hash, null));
}

/** @param {readonly string[] | null} codes the codes of the failure; null: it verifies */
function caseOf(id, protocolVersion, inputText, inputHash, codes) {
  const marker = '"@input@"';
  const snapshot = {
    type: 'ai.execution.v1',
    protocolVersion,
    executionSurface: 'ai',
    executionId: 'canonical',
    timestamp: TIME,
    provider: 'example',
    model: 'example-1',
    modelVersion: null,
    input: '@input@',
    inputHash,
    outputHash: sha256(''),
    appId: null,
  };
  // The certificate's own hash is over the canonical text of the input, which for a failing case does not matter.
  const bundle = { bundleType: 'cer.ai.execution.v1', version: '0.1', createdAt: TIME, snapshot };
  const value = JSON.parse(inputText.includes('\\ud800') && !inputText.includes('\\ude00') ? '[]' : inputText);
  const { certificateHash } = withHash({ ...bundle, snapshot: { ...snapshot, input: value } });
  const hash = id.startsWith('lone-surrogate-svc-v1') ? surrogateHash(bundle) : certificateHash;
  const text = JSON.stringify({ ...bundle, certificateHash: hash }).replace(marker, inputText);
  return {
    id: `canonical/${id}`,
    heading: 'Canonicalization profiles',
    rule: 'A raw input hashes to its inputHash over its canonical bytes.',
    command: 'verify',
    file: { kind: 'cer', bundle: text, keySet: null },
    expected: codes === null ? { status: 'VERIFIED', code: 'OK' } : { status: 'FAILED', code: codes[0] },
  };
}

/** JSON.stringify escapes a lone surrogate in lower case, as svc-v1 does. */
function surrogateHash(bundle) {
  return withHash({ ...bundle, snapshot: { ...bundle.snapshot, input: ['\ud800'] } }).certificateHash;
}
