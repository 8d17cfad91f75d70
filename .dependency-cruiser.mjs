// Who may import whom (ARCHITECTURE.md, "Directions"). CI fails on any other arrow.
const pure = '^packages/(canonical-json|keys|cer-core|sketch-engine|timestamps|tlog)/src';
const nodeOnly =
  '(^packages/[^/]+/src/platform/node\\.ts$|^packages/keys/src/(file-signer|key-file|key-vault|native-signer|private-file|root-file|sealed-bytes|single-key-file)\\.ts$|^packages/sketch-engine/src/(files|redraw)/|\\.test\\.ts$|/testing/)';

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'apps-talk-http',
      comment: 'An app never imports another app.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/(?!$1/)' },
    },
    {
      name: 'canonical-json-imports-no-workspace',
      severity: 'error',
      from: { path: '^packages/canonical-json/' },
      to: { path: '^(packages/(?!canonical-json/)|apps/)' },
    },
    {
      name: 'keys-imports-no-workspace',
      severity: 'error',
      from: { path: '^packages/keys/' },
      to: { path: '^(packages/(?!keys/)|apps/)' },
    },
    {
      name: 'pkcs11-imports-keys-only',
      severity: 'error',
      from: { path: '^packages/pkcs11/' },
      to: { path: '^(packages/(?!pkcs11/|keys/)|apps/)' },
    },
    {
      name: 'ndjson-imports-no-workspace',
      severity: 'error',
      from: { path: '^packages/ndjson/' },
      to: { path: '^(packages/(?!ndjson/)|apps/)' },
    },
    {
      name: 'cer-core-imports-canonical-json-and-keys-only',
      severity: 'error',
      from: { path: '^packages/cer-core/' },
      to: { path: '^(packages/(?!cer-core/|canonical-json/|keys/|test-browser/)|apps/)' },
    },
    {
      name: 'client-imports-what-it-bundles-only',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { path: '^(packages/(?!client/|canonical-json/|cer-core/|keys/|ndjson/)|apps/)' },
    },
    {
      name: 'sketch-engine-imports-canonical-json-and-cer-core-only',
      severity: 'error',
      from: { path: '^packages/sketch-engine/' },
      to: { path: '^(packages/(?!sketch-engine/|canonical-json/|cer-core/|test-browser/)|apps/)' },
    },
    {
      name: 'timestamps-imports-pure-packages-only',
      severity: 'error',
      from: { path: '^packages/timestamps/' },
      to: { path: '^(packages/(?!timestamps/|canonical-json/|cer-core/|keys/|tlog/)|apps/)' },
    },
    {
      name: 'tlog-imports-canonical-json-and-keys-only',
      severity: 'error',
      from: { path: '^packages/tlog/' },
      to: { path: '^(packages/(?!tlog/|canonical-json/|keys/)|apps/)' },
    },
    {
      name: 'http-service-imports-canonical-json-and-ndjson-only',
      severity: 'error',
      from: { path: '^packages/http-service/' },
      to: { path: '^(packages/(?!http-service/|canonical-json/|ndjson/)|apps/)' },
    },
    {
      name: 'control-plane-imports-http-service-only',
      severity: 'error',
      from: { path: '^packages/control-plane/' },
      to: { path: '^(packages/(?!control-plane/|http-service/)|apps/)' },
    },
    {
      name: 'pages-imports-http-service-only',
      severity: 'error',
      from: { path: '^packages/pages/' },
      to: { path: '^(packages/(?!pages/|http-service/)|apps/)' },
    },
    {
      name: 'sql-store-imports-no-workspace',
      severity: 'error',
      from: { path: '^packages/sql-store/' },
      to: { path: '^(packages/(?!sql-store/)|apps/)' },
    },
    {
      name: 'test-browser-imports-no-workspace',
      severity: 'error',
      from: { path: '^packages/test-browser/' },
      to: { path: '^(packages/(?!test-browser/)|apps/)' },
    },
    {
      name: 'pure-packages-use-no-node-builtin',
      comment:
        'canonical-json, keys and cer-core run in a browser; the one file per package that does not is swapped by an exports condition. Key files are a separate entry point, for Node.js only.',
      severity: 'error',
      from: { path: pure, pathNot: nodeOnly },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-test-code-in-production',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src', pathNot: '(\\.test\\.tsx?$|/testing/|^packages/test-browser/)' },
      to: { path: '(\\.test\\.tsx?$|/testing/|^packages/test-browser/)' },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: { pathNot: '/dist/' }, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // One package reaches another through its `dist`.
    exclude: { path: '(^apps/[^/]+/dist|/behaviours)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.depcruise.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default'] },
  },
};
