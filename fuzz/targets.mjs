// The fuzzed code, one row for each target: `seeds` to begin with, `operationsPerByte`, the maximum of statements and
// branches that an input of (its length + 256) bytes may run for each byte, and `run`, which throws when a property is
// broken.
import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSameJson, JsonError, jcsV1, parseJson, svcV1 } from '@cer/canonical-json';
import { evaluateCer } from '@cer/cer-core/verify';
import { KeyError, parseKeySet } from '@cer/keys';
import { parseTimestampResponse, parseTsaRoots, TimestampError, verifyTimestampToken } from '@cer/timestamps';
import { formatTlogProof, judgeCheckpoint, parseLogPolicy, parseTlogProof, TlogError } from '@cer/tlog';
import { parseOpening } from '@cer/tlog/leaf';
import { formatVkey, parseAddCheckpoint, parseCheckpoint, parseNote, parseVkey } from '@cer/tlog/note';
import { decodeEntryBundle, encodeEntryBundle, formatTilePath, parseTilePath } from '@cer/tlog/tiles';
import jwt from 'jsonwebtoken';
import { entryContent } from '../apps/cli/src/audit-package/entry-content.js';
import { PackageRefused } from '../apps/cli/src/audit-package/package-finding.js';
import { openSoundZip } from '../apps/cli/src/audit-package/zip-structure.js';
import { rawZip } from '../apps/cli/src/testing/raw-zip.js';
import { HandoffRefused, verifyHandoffToken } from '../apps/bridge/src/handoff/verify-token.js';
import { OtlpError } from '../apps/bridge/src/ingest/otlp/spans/span.js';
import { decodeJson } from '../apps/bridge/src/ingest/otlp/wire/decode-json.js';
import { decodeProtobuf } from '../apps/bridge/src/ingest/otlp/wire/decode-protobuf.js';

const root = process.cwd();
const read = (...path) => readFileSync(join(root, ...path));
const readJson = (...path) => JSON.parse(read(...path).toString());

/** The result of `work`, or null where it throws one of its documented errors. */
function unlessRefused(work, ...errors) {
  try {
    return work();
  } catch (error) {
    if (errors.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

const JSON_WORDS = [
  '{',
  '}',
  '[',
  ']',
  '":',
  ',',
  '"',
  '\\u',
  '\\ud800',
  '1e400',
  '1e-400',
  '9007199254740993',
  '__proto__',
];
const OPTIONS = {
  keySet: parseKeySet(readJson('packages', 'cer-core', 'vectors', 'execution-v1.json').keySets.node),
  verifiedAt: '2026-01-02T03:04:05.000Z',
};
const vectors = ['execution-v1', 'confidential-and-v2', 'receipt', 'envelope', 'reseal', 'other-types', 'packages'];
const bundles = () =>
  vectors.flatMap((name) =>
    readJson('packages', 'cer-core', 'vectors', `${name}.json`)
      .tests.slice(0, 6)
      .map(({ bundle }) => Buffer.from(bundle)),
  );

const proofs = readJson('packages', 'tlog', 'vectors', 'proofs.json').proofs;
const POLICY = parseLogPolicy(read('packages', 'tlog', 'vectors', 'policy.txt').toString());
const CHECKPOINT = read('packages', 'tlog', 'vectors', 'log-plain-300', 'checkpoint');
const VKEY = read('packages', 'tlog', 'vectors', 'log-plain-300', 'vkey').toString().trim();

const timestamped = read('examples', 'timestamps', 'timestamped.json').toString();
const tokens = [...timestamped.matchAll(/"(MII[A-Za-z0-9+/=]{400,})"/g)].map(([, token]) =>
  Buffer.from(token, 'base64'),
);
const ROOTS_PEM = read('examples', 'timestamps', 'tsa-roots.pem').toString();
const ROOTS = parseTsaRoots(ROOTS_PEM);

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const RULES = {
  issuer: 'http://issuer',
  audience: 'bridge',
  keys: async (kid) => (kid === 'k' ? publicKey : null),
  now: () => new Date('2026-01-02T03:04:05Z'),
};

const zipPath = join(tmpdir(), `fuzz-${process.pid}.zip`);
process.on('exit', () => rmSync(zipPath, { force: true }));

export const TARGETS = {
  strict: {
    seeds: () => [...bundles(), Buffer.from('[1.5,{"a":[null,true]},"\\u00e9"]')],
    dictionary: JSON_WORDS,
    operationsPerByte: 60,
    run: (bytes) => {
      const value = unlessRefused(() => parseJson(bytes), JsonError);
      if (value === null) return;
      ok(isSameJson(JSON.parse(bytes.toString()), value));
      const text = unlessRefused(() => jcsV1.canonicalize(value), JsonError);
      if (text !== null) equal(jcsV1.canonicalize(parseJson(text)), text);
    },
  },
  canonical: {
    seeds: () => [...bundles(), Buffer.from('{"b":1e21,"a":-0.0,"\\ud83d\\ude00":[],"\\ufb33":"\\ud800"}')],
    dictionary: JSON_WORDS,
    operationsPerByte: 60,
    run: (bytes) => {
      const value = unlessRefused(() => JSON.parse(bytes.toString()), SyntaxError);
      for (const { canonicalize } of [svcV1, jcsV1]) {
        const text = unlessRefused(() => canonicalize(value), JsonError);
        if (text === null) continue;
        equal(canonicalize(JSON.parse(text)), text);
        ok(isSameJson(JSON.parse(text), value));
      }
    },
  },
  verifier: {
    seeds: bundles,
    dictionary: [
      ...JSON_WORDS,
      '"cer.ai.execution.v2"',
      '"1.3.1"',
      '"meta":',
      '"attestation":',
      '"[REDACTED]"',
      'null',
    ],
    operationsPerByte: 200,
    run: async (bytes) => {
      const first = unlessRefused(() => parseJson(bytes), JsonError);
      if (first === null) return;
      const evaluation = await evaluateCer(first, OPTIONS);
      deepStrictEqual(await evaluateCer(parseJson(bytes), OPTIONS), evaluation);
      ok(evaluation.code !== 'UNKNOWN_ERROR');
      equal(evaluation.status === 'FAILED', evaluation.code !== 'OK');
    },
  },
  notes: {
    seeds: () => [
      CHECKPOINT,
      Buffer.from(VKEY),
      Buffer.from(`old 0\n\n${CHECKPOINT}`),
      Buffer.from('tile/0/x001/234.p/5'),
    ],
    dictionary: ['\n\n', '\n— ', '+', ' ', '0', '=', '/', 'x000'],
    // Whether a key is a point of the curve takes about 18,000 in limbs, however long its name is.
    operationsPerByte: 80,
    run: (bytes) => {
      const text = bytes.toString();
      for (const parse of [parseNote, parseCheckpoint, parseAddCheckpoint]) {
        unlessRefused(() => parse(text), TlogError);
      }
      const key = unlessRefused(() => parseVkey(text), TlogError);
      if (key !== null) equal(formatVkey(key), text);
      const tile = unlessRefused(() => parseTilePath(text), TlogError);
      if (tile !== null) equal(formatTilePath(tile), text);
      const entries = unlessRefused(() => decodeEntryBundle(bytes), TlogError);
      if (entries !== null) deepStrictEqual(Buffer.from(encodeEntryBundle(entries)), Buffer.from(bytes));
    },
  },
  proofs: {
    seeds: () => proofs.map(({ proof }) => Buffer.from(proof)),
    dictionary: ['\n', '\n\n', 'index ', 'extra ', '\n— ', '=', '+'],
    operationsPerByte: 40,
    run: async (bytes) => {
      const text = bytes.toString();
      unlessRefused(() => parseLogPolicy(text), TlogError);
      const proof = unlessRefused(() => parseTlogProof(text), TlogError);
      if (proof === null) return;
      unlessRefused(() => parseOpening(proof.extra), TlogError);
      equal(formatTlogProof({ ...proof, checkpoint: text.slice(text.indexOf('\n\n') + 2) }), text);
      const verdict = await judgeCheckpoint(proof.checkpoint, POLICY);
      deepStrictEqual(await judgeCheckpoint(parseTlogProof(text).checkpoint, POLICY), verdict);
    },
  },
  tokens: {
    seeds: () => {
      const claims = {
        iss: RULES.issuer,
        aud: RULES.audience,
        sub: 'u',
        tenant_id: 't',
        jti: 'j',
        iat: 1767323045,
        exp: 1767323105,
      };
      const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
      const plain = (header) => [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      return [
        Buffer.from(jwt.sign(claims, pem, { algorithm: 'RS256', keyid: 'k' })),
        Buffer.from(`${plain({ alg: 'none', kid: 'k' }).join('.')}.`),
        Buffer.from(`${plain({ alg: 'EdDSA', typ: 'JWT', kid: 'k', crit: ['exp'] }).join('.')}.${'A'.repeat(86)}`),
        privateKey.export({ type: 'pkcs8', format: 'der' }),
      ];
    },
    dictionary: ['.', '..', 'eyJ', 'eyJhbGciOiJub25lIn0', 'e30', '='],
    maxBytes: 5000,
    operationsPerByte: 20,
    run: async (bytes) => {
      try {
        await verifyHandoffToken(bytes.toString(), RULES);
      } catch (error) {
        if (error instanceof HandoffRefused) return;
        throw error;
      }
      throw new Error('a token that the key did not sign was accepted');
    },
  },
  der: {
    seeds: () => [...tokens, Buffer.from(ROOTS_PEM)],
    dictionary: ['0\x80', '\x30\x03', '\x02\x01\x00', '\xa0\x82', '\x05\x00', '-----BEGIN CERTIFICATE-----'],
    operationsPerByte: 200,
    run: async (bytes) => {
      const checks = { roots: ROOTS, isImprint: () => true };
      const outcome = await verifyTimestampToken(bytes, checks);
      deepStrictEqual(await verifyTimestampToken(bytes, checks), outcome);
      ok(outcome.detail !== 'the token cannot be read');
      unlessRefused(() => parseTimestampResponse(bytes), TimestampError);
      unlessRefused(() => parseTsaRoots(bytes.toString()), TimestampError);
    },
  },
  zip: {
    seeds: () => [
      rawZip([{ name: 'a', content: 'stored' }]),
      rawZip([
        { name: 'records.ndjson', content: '{"a":1}\n'.repeat(50), deflated: true },
        { name: 'log/epoch.json', content: '{}' },
      ]),
      rawZip([]),
    ],
    dictionary: [
      'PK\x03\x04',
      'PK\x01\x02',
      'PK\x05\x06',
      'PK\x06\x07',
      'PK\x06\x06',
      'PK\x07\x08',
      '\x01\x00\x1c\x00',
      '../',
    ],
    operationsPerByte: 60,
    run: async (bytes) => {
      writeFileSync(zipPath, bytes);
      const file = await open(zipPath);
      try {
        const { zip, entries } = await openSoundZip(file, { entries: 100, totalBytes: 2 ** 20 });
        let total = 0;
        for (const entry of entries) {
          for await (const chunk of entryContent(zip, entry, null, { add: () => undefined })) total += chunk.length;
        }
        ok(total <= 2 ** 20);
      } catch (error) {
        if (!(error instanceof PackageRefused)) throw error;
      } finally {
        await file.close();
      }
    },
  },
  'otlp-protobuf': {
    seeds: () => [
      Buffer.from('0a1e0a0e0a0c0a016b12070a05766f69636512 0c120a0a0401020304 2a0161'.replaceAll(' ', ''), 'hex'),
      Buffer.from(
        '0a2a12281226 0a10000102030405060708090a0b0c0d0e0f 120801020304050607082a0161390100000000000000'.replaceAll(
          ' ',
          '',
        ),
        'hex',
      ),
    ],
    dictionary: ['\x0a', '\x12', '\x2a', '\x32', '\x7a', '\x80\x80\x80\x80\x10', '\x4a\x08\x0a\x01k\x12\x03\x0a\x01v'],
    operationsPerByte: 120,
    run: (bytes) => {
      const spans = unlessRefused(() => decodeProtobuf(bytes, 100), OtlpError);
      if (spans !== null) deepStrictEqual(decodeProtobuf(bytes, 100), spans);
    },
  },
  'otlp-json': {
    seeds: () => [
      Buffer.from(
        '{"resourceSpans":[{"resource":{"attributes":[{"key":"a","value":{"stringValue":"b"}}]},"scopeSpans":[{"spans":[{"traceId":"00ff","spanId":"01","name":"n","startTimeUnixNano":"1","endTimeUnixNano":2,"attributes":[{"key":"k","value":{"arrayValue":{"values":[{"intValue":"1"},{"kvlistValue":{"values":[]}}]}}}],"events":[{"name":"e","droppedAttributesCount":1}],"status":{"code":2}}]}]}]}',
      ),
    ],
    dictionary: [...JSON_WORDS, '"doubleValue"', '"bytesValue"', '"boolValue":', 'null', '"NaN"'],
    operationsPerByte: 120,
    run: (bytes) => {
      const spans = unlessRefused(() => decodeJson(bytes, 100), OtlpError);
      if (spans !== null) deepStrictEqual(decodeJson(bytes, 100), spans);
    },
  },
  'key-sets': {
    seeds: () => [
      Buffer.from(JSON.stringify(readJson('packages', 'cer-core', 'vectors', 'execution-v1.json').keySets.node)),
    ],
    dictionary: [...JSON_WORDS, '"validUntil"', '"status"', '"revoked"', 'null'],
    operationsPerByte: 80,
    run: (bytes) => {
      const value = unlessRefused(() => parseJson(bytes), JsonError);
      if (value !== null) unlessRefused(() => parseKeySet(value), KeyError);
    },
  },
};
