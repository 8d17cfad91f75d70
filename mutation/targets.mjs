/**
 * The mutated code, in pieces of some minutes.
 * @type {Record<string, {workspace: string, mutate: string[], tests: string[]}>} `mutate` are files of the workspace's
 *   `src`, `tests` paths of its tests as regular expressions
 */
export const targets = {
  ...pieces(
    'canonical-json',
    ['src/canonical', 'src/strict', 'src/value', 'test/json-test-suite', 'test/independent'],
    {
      'canonical/fault': 'canonical/fault errors',
      'canonical/writer':
        'canonical/canonicalize canonical/writer canonical/text canonical/member-order canonical/same-json',
      'canonical/value': 'value/depth value/json-value value/path',
      'json/scan': 'strict/parse strict/scan',
      'json/syntax-fault': 'strict/syntax-fault',
    },
  ),
  ...pieces('keys', ['src/(strict-gate|point|jacobi|known-points|public-key)', 'test/accepted-set'], {
    keys: 'strict-gate point jacobi known-points public-key spki verify-signature',
  }),
  ...pieces('tlog', ['src/', 'test/'], {
    'tlog/merkle': 'merkle/frontier merkle/hash merkle/path-steps merkle/ranges',
    'tlog/tree': 'merkle/tree merkle/verify',
    'tlog/proof': 'proof/tlog-proof proof/judge-checkpoint',
    'tlog/verdict': 'proof/log-verdict proof/transparency-verifier',
  }),
  ...pieces('cer-core', ['src/(verify|attest|redact|profiles)', 'test/(vectors|findings|independent|verify)'], {
    'verify/content': 'verify/check-content verify/integrity verify/unwrap verify/layer verify/options',
    'verify/subject': 'verify/subject verify/older-reseal verify/reported-timestamp verify/rollup',
    'verify/keys': 'verify/key-choice verify/key-rescue verify/signature',
    'verify/envelope': 'verify/envelope',
    'verify/receipt': 'verify/receipt',
    'verify/outcome': 'verify/conclude verify/evaluate verify/evaluation',
    'verify/evidence': 'verify/evidence',
    'verify/present': 'verify/present',
    'verify/time': 'verify/timestamps verify/timestamp-digest verify/timestamp-verifier',
    'verify/log': 'verify/transparency verify/transparency-verifier',
  }),
};

function pieces(workspace, tests, lists) {
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
      name,
      { workspace, tests, mutate: list.split(' ').map((file) => `packages/${workspace}/src/${file}.ts`) },
    ]),
  );
}
