import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { attestProject } from '@cer/cer-core/attest';
import { buildProject } from '@cer/cer-core/seal';
import { certified, TEST_ATTESTOR, TEST_NODE_ID, TEST_SIGNER, TEST_TIME } from '@cer/cer-core/testing';
import { testKeySet } from '@cer/keys/testing';
import { makeLeaf, ownerOpening, publicOpening, receiptDigest, type LeafLabel } from '@cer/tlog/leaf';
import { TestLog, testPolicy, TestWitness } from '@cer/tlog/testing';
import { cer, type Said } from '../testing/console.js';
import { Folder } from '../testing/files.js';

const folder = new Folder();
afterAll(() => {
  folder.remove();
});

const ORIGIN = 'node.example/log';
const AT = Math.floor(new Date(TEST_TIME).getTime() / 1000);
const witnesses = [new TestWitness('w1'), new TestWitness('w2')] as const;
const [w1, w2] = witnesses;

let certificate: JsonObject;
let keys: string;

beforeAll(async () => {
  certificate = await certified();
  keys = folder.write(
    'keys.json',
    JSON.stringify(testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] })),
  );
});

function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  if (!isJsonObject(value)) throw new TypeError(`there is no object ${name}`);
  return value;
}

function textMember(object: JsonObject, name: string): string {
  const value = member(object, name);
  if (typeof value !== 'string') throw new TypeError(`there is no text ${name}`);
  return value;
}

const attestation = (): JsonObject => objectMember(objectMember(certificate, 'meta'), 'attestation');

/** A registered project of one step. */
async function registeredProject(): Promise<JsonObject> {
  const bundle = buildProject({ projectTitle: 'One step' }, [{ stepId: 'one', bundle: certificate }]);
  const hash = textMember(objectMember(bundle, 'integrity'), 'projectHash');
  const { receipt, signature, kid } = await attestProject(`sha256:${hash.slice(7)}`, TEST_TIME, TEST_ATTESTOR);
  return { ...bundle, meta: { attestation: { receipt, signature, kid } } };
}

interface Logged {
  readonly label?: Partial<LeafLabel>;
  readonly form?: 'public' | 'owner';
  /** Seconds after the receipt that both witnesses cosigned. */
  readonly after?: number;
  readonly cosigners?: readonly TestWitness[];
  /** Seconds after the receipt of a checkpoint without the leaf. */
  readonly notBefore?: number;
  readonly log?: TestLog;
  /** The attestation whose receipt is logged; that of the certificate unless given. */
  readonly of?: JsonObject;
}

/** Logs the receipt of the certificate among others, and returns its proof as a node answers it. */
async function proofOf(options: Logged = {}): Promise<{ proof: string; notBefore?: string; log: TestLog }> {
  const {
    form = 'public',
    after = 30,
    cosigners = witnesses,
    notBefore,
    log = new TestLog(ORIGIN),
    of = attestation(),
  } = options;
  const receipt = objectMember(of, 'receipt');
  const signature = textMember(of, 'signature');
  const label: LeafLabel = {
    appId: null,
    at: textMember(receipt, options.of === undefined ? 'timestamp' : 'registeredAt'),
    bundleType: textMember(certificate, 'bundleType'),
    kind: 'certificate',
    number: 1,
    tenant: `sha256:${'0'.repeat(64)}`,
    ...options.label,
  };
  const leaf = makeLeaf(new Uint8Array(32).fill(5), receiptDigest(receipt, signature), label);
  log.appendMany(4);
  const earlier =
    notBefore === undefined
      ? undefined
      : await log.checkpoint(
          4,
          witnesses.map((w) => [w, AT + notBefore]),
        );
  const index = log.append(leaf.entry);
  log.appendMany(6);
  const checkpoint = await log.checkpoint(
    log.size,
    cosigners.map((witness) => [witness, AT + after]),
  );
  const opening = form === 'owner' ? ownerOpening(leaf, label) : publicOpening(leaf);
  const proof = log.proof(index, checkpoint, opening);
  return { proof, log, ...(earlier !== undefined && { notBefore: earlier }) };
}

/** Verifies with a policy of this log whose quorum is both witnesses. */
async function verify(
  { proof, notBefore, log }: Awaited<ReturnType<typeof proofOf>>,
  more: readonly string[] = [],
  policy = testPolicy([log], witnesses),
): Promise<Said> {
  const proofFile = folder.write(
    'proof.json',
    JSON.stringify({ proof, ...(notBefore !== undefined && { notBefore }) }),
  );
  const policyFile = folder.write('policy.txt', policy);
  const file = folder.write('certificate.json', certificate);
  const flags = ['--keys', keys, '--log-policy', policyFile, '--log-proof', proofFile];
  return cer(['verify', file, ...flags, ...more]);
}

function transparencyOf({ stdout }: Said): unknown {
  return (JSON.parse(stdout) as { transparency: unknown }).transparency;
}

describe('cer verify with a log policy', () => {
  it('reports place, witnesses and times of an included receipt', async () => {
    const said = await verify(await proofOf({ notBefore: -20 }), ['--require-log']);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    const text = said.stdout.replace(/\s+/g, ' ');
    expect(text).toContain(
      `Transparency log Log ${ORIGIN} Place entry 5 of 11 (index 4) Witnesses w1, w2 (as your policy names`,
    );
    expect(text).toContain(`Not before ${new Date((AT - 20) * 1000).toISOString()}`);
    expect(text).toContain(`Not after ${new Date((AT + 30) * 1000).toISOString()}`);
  });

  it('reports the same as JSON', async () => {
    const said = await verify(await proofOf(), ['--json']);
    expect(transparencyOf(said)).toEqual({
      status: 'included',
      code: null,
      origin: ORIGIN,
      index: 4,
      treeSize: 11,
      loggedAfter: null,
      loggedBy: new Date((AT + 30) * 1000).toISOString(),
      witnesses: ['w1', 'w2'],
      detail: null,
    });
  });

  it('attaches a proof and adds nothing else to the file', async () => {
    const { proof } = await proofOf();
    const values = JSON.stringify(Array.from({ length: 100 }, () => 1));
    const text = `{"meta":{},"deep":${'['.repeat(100)}${values}${']'.repeat(100)}}`;
    const proofFile = folder.write('attached.txt', proof);
    const said = await cer(['log', 'attach', folder.write('deep.json', text), '--proof', proofFile]);
    expect(said).toEqual({
      exitCode: 0,
      stdout: `${text.replace('{}', JSON.stringify({ logProofs: [{ proof }] }))}\n`,
      stderr: '',
    });
  });

  it('finds an attached proof in bundle and package', async () => {
    const { proof, log } = await proofOf();
    const policy = folder.write('policy.txt', testPolicy([log], witnesses));
    const meta = { ...objectMember(certificate, 'meta'), logProofs: [{ proof }] };
    const { meta: ownMeta, ...bundle } = certificate;
    const files = [
      folder.write('bundle.json', { ...certificate, meta }),
      folder.write('package.json', { cer: { ...bundle, meta: ownMeta ?? null }, logProofs: [{ proof }] }),
    ];
    for (const file of files) {
      const said = await cer(['verify', file, '--keys', keys, '--log-policy', policy, '--require-log']);
      expect(said).toMatchObject({ exitCode: 0, stderr: '' });
      expect(said.stdout).toContain('w1, w2');
      // Without a policy the proof is named and not judged.
      const plain = await cer(['verify', file, '--keys', keys]);
      expect(plain.exitCode).toBe(0);
      expect(plain.stdout).not.toContain('w1, w2');
    }
  });

  it('checks each line of a batch', async () => {
    const { proof, log } = await proofOf();
    const policy = folder.write('policy.txt', testPolicy([log], witnesses));
    const logged = { ...certificate, meta: { ...objectMember(certificate, 'meta'), logProofs: [{ proof }] } };
    const file = folder.write('many.ndjson', [logged, certificate].map((line) => JSON.stringify(line)).join('\n'));
    const flags = ['--keys', keys, '--log-policy', policy, '--require-log', '--json'];
    const said = await cer(['verify', '--batch', file, ...flags]);
    expect(said.exitCode).toBe(1);
    const codes = said.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { code?: string }).code);
    expect(codes.slice(0, 2)).toEqual(['OK', 'LOG_PROOF_MISSING']);
  });
});

describe('a faulty log proof', () => {
  const stranger = new TestLog('other.example/log');
  const cases: readonly (readonly [string, string, () => Promise<Awaited<ReturnType<typeof proofOf>>>])[] = [
    ['has no quorum', 'LOG_QUORUM_NOT_MET', () => proofOf({ cosigners: [w1] })],
    ['is witnessed before the receipt', 'LOG_TIME_CONFLICT', () => proofOf({ after: -301 })],
    ['shows a receipt that was dated back a day', 'LOG_BACKDATED', () => proofOf({ after: 90_000, notBefore: 86_400 })],
    [
      'files the receipt under another app',
      'LOG_LABEL_MISMATCH',
      () => proofOf({ form: 'owner', label: { appId: 'b' } }),
    ],
    [
      'files the receipt under another type',
      'LOG_LABEL_MISMATCH',
      () => proofOf({ form: 'owner', label: { bundleType: 'b' } }),
    ],
    [
      'files a first receipt as again',
      'LOG_LABEL_MISMATCH',
      () => proofOf({ form: 'owner', label: { kind: 'again' } }),
    ],
    [
      'files the receipt as hash-only',
      'LOG_LABEL_MISMATCH',
      () => proofOf({ form: 'owner', label: { kind: 'hash-only' } }),
    ],
    [
      'files the receipt at another time',
      'LOG_LABEL_MISMATCH',
      () => proofOf({ form: 'owner', label: { at: '2026-01-01T00:00:00Z' } }),
    ],
    [
      'is of another place',
      'LOG_INCLUSION_INVALID',
      async () => {
        const made = await proofOf();
        return { ...made, proof: made.proof.replace('index 4', 'index 3') };
      },
    ],
    [
      'has a cosignature of another checkpoint',
      'LOG_SIGNATURE_INVALID',
      async () => {
        const made = await proofOf();
        const other = await w2.cosign('another\n', AT);
        return { ...made, proof: made.proof.replace(/— w2 .*\n/, other) };
      },
    ],
  ];

  it.each(cases)('that %s is %s: it fails a demand, and nothing else', async (_, code, make) => {
    const made = await make();
    expect(transparencyOf(await verify(made, ['--json']))).toMatchObject({ code });
    await expect(verify(made)).resolves.toMatchObject({ exitCode: 0, stderr: '' });
    const demanded = await verify(made, ['--require-log']);
    expect(demanded.exitCode).toBe(1);
    expect(JSON.parse(demanded.stderr)).toMatchObject({ status: 'FAILED', reason: code });
  });

  it('without a quorum leads to the witnesses of its time', async () => {
    const said = await verify(await proofOf({ cosigners: [w1] }), ['--require-log']);
    expect(said.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'A proof keeps the witnesses of its time. Add them to your policy if you trust them',
    );
  });

  it('of a log outside the policy is unknown', async () => {
    const made = await proofOf();
    const said = await verify(made, ['--json'], testPolicy([stranger], witnesses));
    expect(transparencyOf(said)).toMatchObject({ status: 'unknown-log', code: 'LOG_UNKNOWN' });
  });

  it('that was witnessed late is only a remark', async () => {
    const said = await verify(await proofOf({ after: 3600 + 301 }), ['--require-log', '--json']);
    expect(said.exitCode).toBe(0);
    expect(transparencyOf(said)).toMatchObject({ status: 'included', code: 'LOG_LATE' });
  });

  it('is judged by its best proof except wrong labels', async () => {
    const good = await proofOf();
    const wrong = await proofOf({ form: 'owner', label: { appId: 'b' } });
    const policy = folder.write('policy.txt', testPolicy([good.log], witnesses));
    const withProofs = async (...proofs: readonly string[]): Promise<unknown> => {
      const meta = { ...objectMember(certificate, 'meta'), logProofs: proofs.map((proof) => ({ proof })) };
      const file = folder.write('proofs.json', { ...certificate, meta });
      return transparencyOf(await cer(['verify', file, '--keys', keys, '--log-policy', policy, '--json']));
    };
    expect(await withProofs('no proof', good.proof)).toMatchObject({ status: 'included' });
    expect(await withProofs(good.proof, wrong.proof)).toMatchObject({ code: 'LOG_LABEL_MISMATCH' });
  });

  it('cannot be demanded without a policy', async () => {
    const file = folder.write('certificate.json', certificate);
    const said = await cer(['verify', file, '--keys', keys, '--require-log']);
    expect(said).toMatchObject({ exitCode: 3, stderr: 'cer: --require-log needs --log-policy\n' });
  });
});

describe('cer verify-project with a log policy', () => {
  const projectProof = async (
    project: JsonObject,
    label: Partial<LeafLabel> = { kind: 'project' },
  ): ReturnType<typeof proofOf> => {
    const of = objectMember(objectMember(project, 'meta'), 'attestation');
    return proofOf({ of, form: 'owner', label: { bundleType: null, at: TEST_TIME, ...label } });
  };
  const verifyProject = async (
    project: JsonObject,
    { proof, log }: { readonly proof?: string; readonly log: TestLog },
    ...more: readonly string[]
  ): Promise<Said> => {
    const meta = objectMember(project, 'meta');
    const logProofs = proof === undefined ? [] : [{ proof }];
    const file = folder.write('project.json', { ...project, meta: { ...meta, logProofs } });
    const policy = folder.write('policy.txt', testPolicy([log], witnesses));
    return cer(['verify-project', file, '--keys', keys, '--log-policy', policy, ...more]);
  };

  it('demands the proof of the project only', async () => {
    const project = await registeredProject();
    const said = await verifyProject(project, await projectProof(project), '--require-log');
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout.replace(/\s+/g, ' ')).toContain(`Transparency log Log ${ORIGIN} Place entry 5 of 11 (index 4)`);
    const asJson = await verifyProject(project, await projectProof(project), '--json');
    expect(transparencyOf(asJson)).toMatchObject({ status: 'included', code: null, witnesses: ['w1', 'w2'] });
  });

  it.each([
    ['LOG_PROOF_MISSING', null],
    ['LOG_LABEL_MISMATCH', { kind: 'again' } as const],
  ])('%s fails only under the demand', async (code, label) => {
    const project = await registeredProject();
    const log = new TestLog(ORIGIN);
    const made = label === null ? { log } : await projectProof(project, label);
    expect((await verifyProject(project, made)).exitCode).toBe(0);
    const demanded = await verifyProject(project, made, '--require-log');
    expect(demanded.exitCode).toBe(1);
    expect(JSON.parse(demanded.stderr)).toMatchObject({ status: 'FAILED', reason: code });
  });
});
