import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import { svcV1, type JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { canonicalReceipt } from '@cer/cer-core/attest';
import { buildProject } from '@cer/cer-core/seal';
import { certified, sealed, TEST_NODE_ID, TEST_SIGNER, TEST_TIME } from '@cer/cer-core/testing';
import { encodeBase64Url } from '@cer/keys';
import { testKeySet } from '@cer/keys/testing';
import { checkArtefact, readKeySet } from './check-artefact.js';
import type { ArtefactCheck, CertificateCheck } from './check-result.js';
import { compareBundles } from './compare-members.js';
import { listKeys } from './key-list.js';
import { object, project } from '../../test/records.js';
import { TEXTS } from '../view/texts.js';
import { outcomeOfCheck } from './headline.js';
import { ArtefactView } from '../view/artefact-view.js';
import { withoutSilence } from './silence.js';
import type { LoadTimestampCode } from './timestamp-code.js';
import { tamperablePaths, tamperedCopy } from './tamper.js';

const VECTORS = join(__dirname, '../../../../packages/cer-core/vectors/reseal.json');
const KEY_SET = JSON.stringify(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] }));

function check(
  bundle: JsonObject | string,
  load: LoadTimestampCode = () => import('@cer/timestamps'),
): Promise<ArtefactCheck> {
  const source = typeof bundle === 'string' ? bundle : JSON.stringify(bundle);
  const keySource = { kind: 'file', where: 'keys.json', at: TEST_TIME } as const;
  const pins = { keySet: KEY_SET, keySource, tsaRoots: null, logPolicy: null, askedHash: null };
  return checkArtefact({ source, ...pins, verifiedAt: TEST_TIME }, load);
}

async function checkCertificate(bundle: JsonObject, load?: LoadTimestampCode): Promise<CertificateCheck> {
  const checked = await check(bundle, load);
  if (checked.kind !== 'certificate') throw new Error('is not a certificate');
  return checked;
}

describe('a file that an editor saved', () => {
  it('is checked with a byte order mark and CRLF', async () => {
    const bundle = await certified();
    const saved = `\ufeff${JSON.stringify(bundle, null, 2).replaceAll('\n', '\r\n')}`;
    expect(await check(saved)).toEqual(await check(bundle));
    expect(tamperablePaths(saved)).toEqual(tamperablePaths(JSON.stringify(bundle)));
  });
});

describe('the colour of a project', () => {
  it('is good only with every step present and signed', async () => {
    const whole = await project(2);
    const embedded = object(whole, 'embeddedBundles');
    const unsigned = Object.fromEntries(
      Object.entries(embedded).map(([stepId, bundle]) => [stepId, { ...Object(bundle), meta: {} } as JsonObject]),
    );
    const projects = [
      whole,
      { ...whole, embeddedBundles: unsigned },
      { ...whole, embeddedBundles: {}, withdrawn: Object.keys(embedded) },
    ];
    const outcomes = await Promise.all(projects.map(async (bundle) => outcomeOfCheck(await check(bundle))));
    expect(outcomes.map(({ tone, verdict }) => [tone, verdict])).toEqual([
      ['good', 'VERIFIED'],
      ['neutral', 'VERIFIED'],
      ['neutral', 'VERIFIED'],
    ]);
  });
});

describe('a reseal in answer to the hash of its original', () => {
  const { tests } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { tests: { id: string; bundle: string }[] };
  const codeOf = async (id: string, askedHash: string): Promise<string> => {
    const source = tests.find((test) => test.id === id)?.bundle ?? '';
    const pins = { keySet: null, keySource: null, tsaRoots: null, logPolicy: null, askedHash };
    const request = { source, ...pins, verifiedAt: TEST_TIME };
    return (await checkArtefact(request, () => import('@cer/timestamps'))).code;
  };

  it('is not another certificate where only keys are missing', async () => {
    const bundle = JSON.parse(tests.find(({ id }) => id === 'reseal-of-v1')?.bundle ?? '') as JsonObject;
    const { originalCertificateHash: original } = object(object(bundle, 'meta'), 'provenance');
    if (typeof original !== 'string') throw new TypeError('the reseal names its original');
    expect(await codeOf('reseal-of-v1', original)).toBe('VERIFICATION_MATERIAL_UNAVAILABLE');
    expect(await codeOf('reseal-unsigned', original)).toBe('CERTIFICATE_HASH_MISMATCH');
    expect(await codeOf('reseal-of-v1', `sha256:${'0'.repeat(64)}`)).toBe('CERTIFICATE_HASH_MISMATCH');
  });
});

describe('the displayed certificate', () => {
  it('escapes reordering and hiding characters', async () => {
    const { status, members } = await checkCertificate(
      await certified({ model: '\u202e4-tpg\u2066\u200b', appId: '\u061ca\u200db' }),
    );
    expect(status).toBe('VERIFIED');
    const values = new Map(members.map(({ path, value }) => [path, value]));
    expect(values.get('snapshot.model')).toBe('\\u{202e}4-tpg\\u{2066}\\u{200b}');
    // Without joiners many scripts and emoji cannot be written.
    expect(values.get('snapshot.appId')).toBe('\\u{61c}a\u200db');
  });

  it('keeps line breaks, and copies text unchanged', async () => {
    const record = await certified({ signals: [{ type: 'a\u202e', source: 'b', payload: { c: 'd\u202e' } }] });
    const { signals, handCheck } = await checkCertificate(record);
    expect(signals).toEqual([{ type: 'a\\u{202e}', source: 'b', payload: '{\n  "c": "d\\u{202e}"\n}' }]);
    expect(handCheck.certificate?.text).toContain('a\u202e');
    expect(sha256(handCheck.certificate?.text ?? '')).toBe(record['certificateHash']);
  });

  it('hides signals that an older hash does not cover', async () => {
    const hashed = {
      protocolVersion: '1.2.0',
      runtimeHash: sha256('png'),
      codeHash: sha256('code'),
      seed: 'default',
      varsHash: sha256('[]'),
    };
    const beside = {
      context: { signals: [{ type: 'review', source: 'nobody', payload: { approved: true } }] },
      contextSummary: { approved: 'by nobody' },
      policyEvaluation: { result: 'pass' },
    };
    const record = { ...hashed, ...beside, certificateHash: sha256(svcV1.canonicalize(hashed)) };
    const { status, facts, members, signals } = await checkCertificate(record);
    expect([status, facts.supplemental]).toEqual(['VERIFIED', true]);
    expect([...members, ...signals]).toEqual([]);
  });
});

describe('a record with a timestamp', () => {
  it('is checked where the code that reads tokens never arrives', async () => {
    const bundle = await certified();
    const meta = { ...object(bundle, 'meta'), timestamps: [{ type: 'rfc3161', token: 'AAAA' }] };
    const load = (): Promise<never> => withoutSilence(new Promise(() => undefined), 1);
    const { status, facts } = await checkCertificate({ ...bundle, meta }, load);
    expect([status, facts.timestamp]).toEqual(['VERIFIED', { type: 'rfc3161', status: 'not-checked' }]);
  });
});

describe('the headline', () => {
  it('states that the content of a signed hash is unseen', async () => {
    const bundle = {
      bundleType: 'hash-only-timestamp',
      version: '0.1',
      createdAt: TEST_TIME,
      snapshot: null,
      certificateHash: sha256('hidden content'),
    };
    const attestation = await attestHashOnly(bundle.certificateHash);
    const checked = await checkCertificate({ ...bundle, meta: { attestation } });
    const { headline, tone } = outcomeOfCheck(checked);
    expect([checked.status, headline, tone]).toEqual(['VERIFIED', 'hashOnly', 'good']);
    const { title, lead } = TEXTS.headlines[headline];
    expect(`${title} ${lead}`).toMatch(/not its content.*has not seen it/);
  });
});

async function attestHashOnly(certificateHash: string): Promise<JsonObject> {
  const { kid } = TEST_SIGNER;
  const receipt = { certificateHash, timestamp: TEST_TIME, nodeId: TEST_NODE_ID, kid, scope: 'hash-only' };
  const signature = encodeBase64Url(await TEST_SIGNER.sign(new TextEncoder().encode(canonicalReceipt(receipt))));
  return { receipt, signature };
}

describe('the displayed project', () => {
  const steps = (prevStepHash: (before: JsonObject | undefined) => JsonObject): JsonObject => {
    const bundles: JsonObject[] = [];
    for (const executionId of ['one', 'two']) {
      const { bundle } = sealed({ executionId });
      const snapshot = { ...object(bundle, 'snapshot'), ...prevStepHash(bundles.at(-1)) };
      const { bundleType = null, version = null, createdAt = null } = bundle;
      const certificateHash = sha256(svcV1.canonicalize({ bundleType, version, createdAt, snapshot }));
      bundles.push({ ...bundle, snapshot, certificateHash });
    }
    return buildProject(
      {},
      bundles.map((bundle, at) => ({ stepId: `step-${at}`, bundle })),
    );
  };

  it('does not call parentless steps a chain', async () => {
    expect(await check(steps(() => ({ prevStepHash: null })))).toMatchObject({ status: 'VERIFIED', hasChain: false });
    const chained = steps((before) =>
      before === undefined ? {} : { prevStepHash: before['certificateHash'] ?? null },
    );
    expect(await check(chained)).toMatchObject({ status: 'VERIFIED', hasChain: true });
  });

  it('does not claim that the node withdrew missing steps', async () => {
    const whole = await project(2);
    const { 'step-1': kept = null } = object(whole, 'embeddedBundles');
    const cut = await check({ ...whole, embeddedBundles: { 'step-1': kept }, withdrawn: ['step-2'] });
    expect(cut).toMatchObject({ status: 'VERIFIED', steps: [{ status: 'VERIFIED' }, { status: 'WITHDRAWN' }] });
    if (cut.kind !== 'project') throw new Error('is not a project');
    const page = renderToString(ArtefactView({ check: cut, cli: 'cer', stepLink: false }));
    expect(page).toContain('1 left out, said to be withdrawn (unsigned)');
    expect(page).not.toContain('withdrawn by the node');
  });
});

describe('a key set', () => {
  it('with a duplicate member is refused', () => {
    const twice = KEY_SET.replace('"status":"active"', '"status":"revoked","status":"active"');
    expect(twice).not.toBe(KEY_SET);
    for (const read of [readKeySet, listKeys]) expect(() => read(twice)).toThrow('duplicate key');
  });

  it('escapes reordering characters', () => {
    const list = listKeys(
      JSON.stringify({ nodeId: 'a\u202e', keys: [{ kid: 'k\u202e', revocationReason: '\u202e' }] }),
    );
    expect(list).toMatchObject({
      nodeId: 'a\\u{202e}',
      keys: [{ kid: 'k\\u{202e}', revocationReason: '\\u{202e}' }],
    });
  });
});

describe('comparing two bundles', () => {
  it('distinguishes a dotted name from a nested member', () => {
    const left = { snapshot: { 'a.b': 1, a: { b: 2 } } };
    const right = { snapshot: { 'a.b': 9, a: { b: 2 } } };
    expect(compareBundles(left, right)).toMatchObject({
      sameMembers: 1,
      differences: [{ path: 'snapshot["a.b"]', left: '1', right: '9' }],
    });
    const source = JSON.stringify(left);
    expect(tamperablePaths(source)).toEqual(['snapshot["a.b"]', 'snapshot.a.b']);
    expect(JSON.parse(tamperedCopy(source, 'snapshot["a.b"]'))).toEqual({ snapshot: { 'a.b': 2, a: { b: 2 } } });
  });
});
