import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jcsV1, JsonError, svcV1, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { testSigner } from '@cer/keys/testing';
import fc from 'fast-check';

// Bundles of the vectors with changed members, hashed and signed again, so that a change is judged by its own rule and not
// by the hash that no longer fits.

const VECTORS = join(__dirname, '..', '..', '..', 'packages', 'cer-core', 'vectors');
/** The vectors' signer: its key is the active one of their key sets. */
const SIGNER = testSigner('vectors active');

/** A case of the conformance suite's command `verify`. */
export interface VerifyCase {
  readonly kind: 'cer' | 'project';
  readonly bundle: string;
  readonly keySet: JsonObject | null;
  readonly options?: JsonObject;
}

type Json = null | boolean | number | string | Json[] | Members;
interface Members {
  [name: string]: Json;
}

interface Change {
  readonly kind: 'remove' | 'replace' | 'copy' | 'repeat' | 'edit';
  /** Where, and the place of another value, as parts of the number of places. */
  readonly at: number;
  readonly from: number;
  readonly value: string;
}

interface Family {
  readonly keySets: Readonly<Record<string, JsonObject>>;
  readonly tests: readonly (Omit<VerifyCase, 'keySet'> & { readonly keySet: string | null })[];
}

const vectors: readonly VerifyCase[] = readdirSync(VECTORS)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join(VECTORS, file), 'utf8')) as Family)
  .flatMap(({ keySets, tests }) =>
    tests.map((test) => ({ ...test, keySet: test.keySet === null ? null : (keySets[test.keySet] ?? null) })),
  )
  .filter(({ bundle }) => isObject(parsedOrNull(bundle)));

const part = fc.noBias(fc.nat(2 ** 30 - 1)).map((at) => at / 2 ** 30);

/** Values that some rule treats in its own way, as JSON. */
const odd = fc.oneof(
  fc.constantFrom('null', 'true', '0', '-1', '1.5', '1e21', '9007199254740992', '""', '" "', '"\\ud800"', '"\\u0000"'),
  fc.constantFrom('"\\u0085"', '"e\\u0301"', '[]', '{}', '[null]', '"[REDACTED]"', '"sha-256:0"', '"1.2.0"', '"1.3.1"'),
  fc.constantFrom('"2026-01-02T03:04:60Z"', '"2026-02-29T00:00:00Z"', '"2026-01-02T04:04:05.678+01:00"'),
  fc.constantFrom(255, 256, 257).map((length) => JSON.stringify('x'.repeat(length))),
  fc
    .constantFrom('ai.execution.v2', 'hash-only', 'reseal', 'full', 'jcs', 'loop')
    .map((label) => JSON.stringify(label)),
);

const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Change['kind']>('remove', 'replace', 'replace', 'copy', 'repeat', 'edit'),
    at: part,
    from: part,
    value: odd,
  }),
  { minLength: 1, maxLength: 3 },
);

interface ChangedBundle {
  readonly vector: VerifyCase;
  readonly made: readonly Change[];
  /** What is made true again after the changes. */
  readonly repair: 'nothing' | 'hashes' | 'signatures';
}

export const changedBundles: fc.Arbitrary<ChangedBundle> = fc.record({
  vector: fc.constantFrom(...vectors),
  made: changes,
  repair: fc.constantFrom<ChangedBundle['repair']>('nothing', 'hashes', 'signatures', 'signatures'),
});

/** The case with its changes made; signing is asynchronous. */
export async function changedCase({ vector, made, repair }: ChangedBundle): Promise<VerifyCase> {
  const root: Members = { bundle: JSON.parse(vector.bundle) as Json };
  for (const change of made) apply(root, change);
  const { bundle = null } = root;
  if (repair !== 'nothing') await repaired(bundle, repair === 'signatures');
  const { kind, keySet, options } = vector;
  return { kind, bundle: JSON.stringify(bundle), keySet, ...(options !== undefined && { options }) };
}

interface Place {
  readonly holder: Json[] | Members;
  readonly key: string;
}

function placesIn(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => [{ holder: value, key }, ...placesIn(held)]);
}

function apply(root: Members, { kind, at, from, value }: Change): void {
  const places = placesIn(root);
  const place = places[Math.floor(at * places.length)];
  const other = places[Math.floor(from * places.length)];
  if (place === undefined || other === undefined) return;
  const { holder, key } = place;
  const before = read(place);
  switch (kind) {
    case 'remove':
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
      return;
    case 'replace':
      write(place, JSON.parse(value) as Json);
      return;
    case 'copy':
      write(place, structuredClone(read(other)));
      return;
    case 'repeat':
      if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(before));
      else write({ holder, key: other.key }, structuredClone(before));
      return;
    case 'edit':
      if (typeof before === 'string') write(place, edited(before, from));
  }
}

function edited(text: string, from: number): string {
  const at = Math.floor(from * (text.length + 1));
  const made = [
    `${text} `,
    `${text}=`,
    text.toUpperCase(),
    text.slice(0, at),
    `${text.slice(0, at)}a${text.slice(at)}`,
  ];
  return made[at % made.length] ?? text;
}

function read({ holder, key }: Place): Json {
  const value: unknown = Reflect.get(holder, key);
  return (value ?? null) as Json;
}

function write({ holder, key }: Place, value: Json): void {
  Reflect.set(holder, key, value);
}

const HASHED = ['bundleType', 'version', 'createdAt', 'snapshot', 'context', 'contextSummary', 'policyEvaluation'];
const PROJECT_HASHED = [
  ...['bundleType', 'version', 'protocolVersion', 'projectBundleId', 'projectTitle', 'startedAt', 'completedAt'],
  ...['totalSteps', 'stepRegistry', 'projectGoal', 'projectSummary', 'appName', 'frameworkName'],
];

/** Hashes that fit, and signatures over them, in a bundle or in the packages and projects around it. */
async function repaired(value: Json, isSigned: boolean): Promise<void> {
  if (!isObject(value)) return;
  for (const inner of [value['cer'], value['bundle'], ...elements(value['embeddedBundles'])]) {
    if (inner !== undefined) await repaired(inner, isSigned);
  }
  try {
    if (isObject(value['integrity'])) {
      const tags = elements(value['tags']).length > 0 ? ['tags'] : [];
      value['integrity']['projectHash'] = hashOf(svcV1, picked(value, [...PROJECT_HASHED, ...tags]));
      await attested(value, { projectHash: value['integrity']['projectHash'] }, isSigned);
    } else if (value['certificateHash'] !== undefined) {
      repairHashes(value);
      await attested(value, { certificateHash: value['certificateHash'] ?? null }, isSigned);
    }
  } catch (error) {
    // A change that has no canonical form has no hash either.
    if (!(error instanceof JsonError)) throw error;
  }
}

function repairHashes(bundle: Members): void {
  const { snapshot } = bundle;
  const isJcs = isObject(snapshot) && ['1.3.0', '1.3.1'].some((version) => version === snapshot['protocolVersion']);
  const profile = isJcs ? jcsV1 : svcV1;
  if (isObject(snapshot)) {
    for (const name of ['input', 'output']) {
      const raw = snapshot[name];
      if (raw === undefined || snapshot[`${name}Hash`] === undefined) continue;
      snapshot[`${name}Hash`] = typeof raw === 'string' ? sha256(raw) : hashOf(profile, raw);
    }
  }
  const isProtected = isObject(bundle['protectedSet']);
  bundle['certificateHash'] = hashOf(profile, picked(bundle, isProtected ? [...HASHED, 'protectedSet'] : HASHED));
}

async function attested({ meta, ...bundle }: Members, hash: Members, isSigned: boolean): Promise<void> {
  const attestation = isObject(meta) ? meta['attestation'] : undefined;
  if (!isObject(meta) || !isObject(attestation) || !isObject(attestation['receipt'])) return;
  Object.assign(attestation['receipt'], hash);
  for (const name of Object.keys(hash)) if (attestation[name] !== undefined) Object.assign(attestation, hash);
  if (!isSigned) return;
  attestation['signature'] = await signatureOf(attestation['receipt']);
  const envelope = meta['verificationEnvelope'];
  if (!isObject(envelope)) return;
  const signed = picked(bundle, HASHED.slice(0, -1));
  meta['verificationEnvelopeSignature'] = await signatureOf({
    attestation: envelope['attestation'] ?? null,
    bundle: signed,
  });
}

async function signatureOf(value: Json): Promise<string> {
  return Buffer.from(await SIGNER.sign(Buffer.from(jcsV1.canonicalize(value)))).toString('base64url');
}

function hashOf(profile: typeof jcsV1, value: JsonValue): string {
  return sha256(profile.canonicalize(value));
}

function picked(value: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

function elements(value: Json | undefined): Json[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function isObject(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsedOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
