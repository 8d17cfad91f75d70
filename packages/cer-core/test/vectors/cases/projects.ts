import {
  ACTIVE,
  at,
  attest,
  canonical,
  change,
  hashOnly,
  hashText,
  keySet,
  NODE_ID,
  object,
  OTHER,
  pick,
  reseal,
  seal,
  sign,
  TIME,
  v1,
  without,
  type Json,
  type JsonObject,
} from '../forge.js';
import { group, type CaseLine, type Vector } from '../vector.js';

const HASHED = [
  'bundleType',
  'version',
  'protocolVersion',
  'projectBundleId',
  'projectTitle',
  'startedAt',
  'completedAt',
  'totalSteps',
  'stepRegistry',
  'projectGoal',
  'projectSummary',
  'appName',
  'frameworkName',
  'tags',
];

export function sealProject(project: JsonObject): JsonObject {
  const hashed = pick(project, HASHED);
  const tags = hashed['tags'];
  const scope = Array.isArray(tags) && tags.length === 0 ? without(hashed, 'tags') : hashed;
  return { ...project, integrity: { algorithm: 'sha256-canonical-json', projectHash: hashText(canonical(scope)) } };
}

export function project(
  steps: readonly JsonObject[],
  members: JsonObject = {},
  entries: readonly JsonObject[] = [],
): JsonObject {
  const stepRegistry = steps.map((bundle, index): JsonObject => ({
    stepId: `step-${index + 1}`,
    sequence: index,
    certificateHash: bundle['certificateHash'] ?? null,
    executionId: at(bundle, 'snapshot.executionId'),
    ...entries[index],
  }));
  const embeddedBundles = Object.fromEntries(steps.map((bundle, index) => [`step-${index + 1}`, bundle]));
  return sealProject({
    bundleType: 'cer.project.bundle.v1',
    version: '0.1',
    projectTitle: 'Two steps',
    tags: ['a'],
    totalSteps: steps.length,
    stepRegistry,
    embeddedBundles,
    ...members,
  });
}

export async function register(bundle: JsonObject, receiptMembers: JsonObject = {}, signer = ACTIVE): Promise<JsonObject> {
  const receipt: JsonObject = {
    projectHash: at(bundle, 'integrity.projectHash'),
    registeredAt: TIME,
    nodeId: NODE_ID,
    kid: signer.kid,
    ...receiptMembers,
  };
  return { ...bundle, meta: { attestation: { receipt, signature: await sign(signer, receipt), kid: signer.kid } } };
}

export const step = (executionId: string, snapshot: JsonObject = {}): JsonObject => seal(v1({ executionId, ...snapshot }));

function ok(more: JsonObject = {}): JsonObject {
  return {
    status: 'VERIFIED',
    code: 'OK',
    structuralValid: true,
    projectHashValid: true,
    nodeReceipt: 'SKIPPED',
    steps: ['OK', 'OK'],
    ...more,
  };
}

export function bad(code: string, member: string | null, more: JsonObject = {}): JsonObject {
  return { status: 'FAILED', code, ...(member !== null && { member }), ...more };
}

export async function projectCases(): Promise<Vector[]> {
  const one = step('exec-a');
  const two = step('exec-b');
  const good = project([one, two]);
  const chainedTwo = step('exec-b', { prevStepHash: one['certificateHash'] ?? null });
  const chained = project([one, chainedTwo]);
  const registered = await register(good);
  const resealedOne = await reseal(v1({ executionId: 'exec-a', prompt: '[REDACTED]' }), {
    receipt: {
      scope: 'reseal',
      originalCertificateHash: one['certificateHash'] ?? null,
      redactionPolicy: 'public.v1:snapshot.prompt',
    },
  });
  const proven = { ...resealedOne, meta: pick(object(resealedOne['meta']), ['attestation']) };
  const withoutLink = await reseal(v1({ executionId: 'exec-b', prompt: '[REDACTED]', prevStepHash: '[REDACTED]' }), {
    receipt: {
      scope: 'reseal',
      originalCertificateHash: chainedTwo['certificateHash'] ?? null,
      redactionPolicy: 'public.v1:snapshot.prevStepHash,snapshot.prompt',
    },
  });
  const otherReseal = await reseal(v1({ executionId: 'exec-a', prompt: '[REDACTED]' }));
  const withdrawn = (bundle: JsonObject): JsonObject => ({
    ...change(bundle, 'embeddedBundles.step-2', undefined),
    withdrawn: ['step-2'],
  });
  const edited = (path: string, to: Json | undefined): JsonObject => sealProject(change(good, path, to));
  const structure = (name: string, rule: string, path: string, to: Json | undefined, member: string): CaseLine => [
    name,
    rule,
    edited(path, to),
    bad('STEP_REGISTRY_MISMATCH', member, { structuralValid: false }),
  ];
  const hash = (name: string, path: string, to: Json | undefined): CaseLine => [
    name,
    'projectHash covers the members of the project and its whole registry.',
    change(good, path, to),
    bad('PROJECT_HASH_MISMATCH', 'integrity.projectHash', { projectHashValid: false }),
  ];
  const schema = (name: string, path: string, to: Json | undefined, member = path, code = 'SCHEMA_ERROR'): CaseLine => [
    name,
    'Checks: schema, structure, steps, hash.',
    edited(path, to),
    bad(code, member),
  ];
  const badStep = (name: string, rule: string, bundle: JsonObject, code: string, more: JsonObject = {}): CaseLine => [
    name,
    rule,
    project([one, bundle]),
    bad(code, null, { steps: ['OK', code], ...more }),
  ];
  const registeredButReceiptIs = (
    name: string,
    bundle: JsonObject,
    member: string,
    code = 'ATTESTATION_INVALID_SIGNATURE',
  ): CaseLine => [
    name,
    'The project-level node receipt if present.',
    bundle,
    bad(code, member, { nodeReceipt: 'FAIL', steps: ['OK', 'OK'] }),
    { heading: 'Project receipt' },
  ];
  const UNIQUE = 'stepIds, sequences, certificateHashes, executionIds unique.';
  const CHAIN =
    'If one step has prevStepHash, all but the first do, each equal to the previous step’s hash in registry order.';
  const CHAINS = { heading: 'Chains', kind: 'project' } as const;
  const PUBLIC = { heading: 'Project verification' };
  const three = [one, chainedTwo, step('exec-c', { prevStepHash: chainedTwo['certificateHash'] ?? null })] as const;

  const hashAlone = (bundle: JsonObject): JsonObject =>
    hashOnly({ certificateHash: bundle['certificateHash'] ?? null });
  const signedHash = await attest(hashAlone(one), { envelope: false, receipt: { scope: 'hash-only' } });
  const attestedBoth = project([await attest(one), await attest(two)]);
  const WHOLE = 'A step is a whole certificate: a hash alone, or a redacted form, is INCOMPLETE_ARTIFACT.';
  const REQUIRED = 'A caller that requires a receipt requires it of the project and of each step.';
  const demanding = { ...PUBLIC, options: { requireAttestation: true } };
  const incomplete = (name: string, bundle: JsonObject, more: JsonObject = {}): CaseLine => [
    name,
    WHOLE,
    bundle,
    bad('INCOMPLETE_ARTIFACT', null, {
      steps: ['INCOMPLETE_ARTIFACT', 'OK'],
      stepStatuses: ['FAILED', 'VERIFIED'],
      passedSteps: 1,
      attestedSteps: 0,
      ...more,
    }),
    PUBLIC,
  ];

  const lines: readonly CaseLine[] = [
    incomplete('step-is-a-signed-hash', change(good, 'embeddedBundles.step-1', signedHash)),
    incomplete('step-is-a-bare-hash', change(good, 'embeddedBundles.step-1', hashAlone(one))),
    incomplete('registered-step-is-a-signed-hash', change(registered, 'embeddedBundles.step-1', signedHash), {
      nodeReceipt: 'PASS',
    }),
    incomplete('withdrawn-step-is-a-signed-hash', {
      ...change(registered, 'embeddedBundles.step-1', signedHash),
      withdrawn: ['step-1'],
    }),
    incomplete('step-is-a-reseal-under-its-own-hash', project([proven, two])),
    incomplete('registered-step-is-a-reseal-under-its-own-hash', await register(project([proven, two]))),
    [
      'tampered-step-is-not-attested',
      'A step that fails counts as neither passed nor attested.',
      change(attestedBoth, 'embeddedBundles.step-1.snapshot.model', 'other'),
      bad('CERTIFICATE_HASH_MISMATCH', null, { passedSteps: 1, attestedSteps: 1 }),
      PUBLIC,
    ],
    [
      'receipt-required-and-absent',
      REQUIRED,
      attestedBoth,
      bad('ATTESTATION_MISSING', 'meta.attestation', { steps: ['OK', 'OK'], nodeReceipt: 'SKIPPED' }),
      demanding,
    ],
    [
      'receipt-required-and-absent-from-a-step',
      REQUIRED,
      await register(project([await attest(one), two])),
      bad('ATTESTATION_MISSING', null, { steps: ['OK', 'ATTESTATION_MISSING'], nodeReceipt: 'PASS' }),
      demanding,
    ],
    [
      'receipt-required-and-there',
      REQUIRED,
      await register(attestedBoth),
      ok({ nodeReceipt: 'PASS', attestedSteps: 2 }),
      demanding,
    ],
    [
      'receipt-required-of-a-withdrawn-step',
      REQUIRED,
      withdrawn(await register(attestedBoth)),
      bad('INCOMPLETE_ARTIFACT', null, { steps: ['OK', 'INCOMPLETE_ARTIFACT'], stepStatuses: ['VERIFIED', 'FAILED'] }),
      demanding,
    ],
    [
      'attestation-is-text',
      'meta.attestation is an object.',
      change({ ...registered, ...object(at(registered, 'meta.attestation')) }, 'meta.attestation', 'x'),
      bad('SCHEMA_ERROR', 'meta.attestation', { nodeReceipt: 'FAIL' }),
      { heading: 'Project receipt' },
    ],
    [
      'receipt-changed-to-before-the-life-of-its-key',
      'A signature that the named key did not make comes before the date outside the life of that key.',
      change(registered, 'meta.attestation.receipt.registeredAt', '2019-01-02T03:04:05.678Z'),
      bad('ATTESTATION_INVALID_SIGNATURE', 'meta.attestation.signature', { nodeReceipt: 'FAIL' }),
      { heading: 'Project receipt' },
    ],
    [
      'receipt-signed-before-the-life-of-its-key',
      'A date outside the life of the key.',
      await register(good, { registeredAt: '2019-01-02T03:04:05.678Z' }),
      bad('ATTESTATION_KEY_NOT_FOUND', 'meta.attestation.receipt', { nodeReceipt: 'FAIL' }),
      { heading: 'Project receipt' },
    ],
    ['built-locally', 'A project built locally is verifiable locally, integrity only.', good, ok()],
    ['wrapped', 'Body {bundle: project bundle}.', { bundle: good }, ok()],
    [
      'project-around-a-project',
      'One body, one project: what is shown is what is verified.',
      { ...registered, bundle: good },
      bad('SCHEMA_ERROR', '', { steps: [] }),
    ],
    [
      'wrapped-with-a-bundle-inside',
      'A project that also has a member bundle is refused, inside {bundle} too.',
      { bundle: { ...registered, bundle: 'x' } },
      bad('SCHEMA_ERROR', '', { steps: [] }),
    ],
    [
      'registered',
      'The project-level node receipt if present.',
      registered,
      ok({ nodeReceipt: 'PASS' }),
      { heading: 'Project receipt' },
    ],
    [
      'with-steps-listed',
      'steps, when present, equal to the registry in order.',
      { ...good, steps: good['stepRegistry'] ?? null },
      ok(),
    ],
    [
      'with-attested-step',
      'Per-step verification of each embedded CER.',
      project([await attest(one), two]),
      ok({ attestedSteps: 1 }),
    ],
    ['without-tags', 'tags are hashed when not empty.', project([one, two], { tags: [] }), ok()],
    ['unknown-members-unbound', 'Members outside the hash bind nothing.', { ...good, note: 'x' }, ok()],
    hash('title-changed', 'projectTitle', 'Other'),
    hash('tag-changed', 'tags', ['b']),
    hash('registry-entry-changed', 'stepRegistry.1.sequence', 7),
    hash('registry-member-added', 'stepRegistry.0.note', 'x'),
    [
      'project-hash-changed',
      'PROJECT_HASH_MISMATCH.',
      change(good, 'integrity.projectHash', hashText('x')),
      bad('PROJECT_HASH_MISMATCH', 'integrity.projectHash'),
    ],
    [
      'hash-before-structure',
      'Code by priority: PROJECT_HASH_MISMATCH first.',
      change(good, 'totalSteps', 3),
      bad('PROJECT_HASH_MISMATCH', 'integrity.projectHash', { structuralValid: false }),
    ],
    [
      'hash-malformed',
      'projectHash is a hash.',
      change(good, 'integrity.projectHash', 'x'),
      bad('INVALID_SHA256_FORMAT', 'integrity.projectHash'),
    ],
    schema('parents-are-text', 'stepRegistry.1.parentStepIds', 'step-1', 'stepRegistry[1].parentStepIds'),
    schema('parents-hold-a-number', 'stepRegistry.1.parentStepIds', [1], 'stepRegistry[1].parentStepIds'),
    schema('execution-id-is-a-number', 'stepRegistry.0.executionId', 7, 'stepRegistry[0].executionId'),
    schema('type-unknown', 'bundleType', 'cer.project.bundle.v2'),
    schema('registry-absent', 'stepRegistry', undefined),
    schema('registry-entry-text', 'stepRegistry', ['x'], 'stepRegistry[0]'),
    schema('step-id-empty', 'stepRegistry.0.stepId', '', 'stepRegistry[0].stepId'),
    schema(
      'registered-hash-malformed',
      'stepRegistry.0.certificateHash',
      'x',
      'stepRegistry[0].certificateHash',
      'INVALID_SHA256_FORMAT',
    ),
    schema('title-number', 'projectTitle', 7),
    [
      'algorithm-absent',
      'The algorithm may be absent; there is only one.',
      change(good, 'integrity.algorithm', undefined),
      ok(),
    ],
    [
      'algorithm-unknown',
      'integrity = {algorithm: "sha256-canonical-json", projectHash}.',
      change(good, 'integrity.algorithm', 'md5'),
      bad('SCHEMA_ERROR', 'integrity.algorithm'),
    ],
    [
      'integrity-absent',
      'integrity = {algorithm, projectHash}.',
      without(good, 'integrity'),
      bad('SCHEMA_ERROR', 'integrity'),
    ],
    ['not-an-object', 'A project is an object.', [], bad('SCHEMA_ERROR', '')],
    structure('total-steps-wrong', 'totalSteps = registry length.', 'totalSteps', 3, 'totalSteps'),
    structure('total-steps-text', 'totalSteps = registry length.', 'totalSteps', '2', 'totalSteps'),
    ['no-steps', 'At least one step.', project([]), bad('STEP_REGISTRY_MISMATCH', 'stepRegistry')],
    structure('duplicate-step-id', UNIQUE, 'stepRegistry.1.stepId', 'step-1', 'stepRegistry[1].stepId'),
    structure('duplicate-sequence', UNIQUE, 'stepRegistry.1.sequence', 0, 'stepRegistry[1].sequence'),
    [
      'duplicate-certificate',
      UNIQUE,
      project([one, one]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1].certificateHash'),
    ],
    [
      'duplicate-execution',
      UNIQUE,
      project([one, step('exec-a', { model: 'other' })]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1].executionId'),
    ],
    structure(
      'unknown-parent',
      'Parents exist.',
      'stepRegistry.1.parentStepIds',
      ['step-9'],
      'stepRegistry[1].parentStepIds',
    ),
    ['parents', 'Parents exist, no cycle.', project([one, two], {}, [{}, { parentStepIds: ['step-1'] }]), ok()],
    [
      'cycle',
      'The parents of the steps have no cycle.',
      project([one, two], {}, [{ parentStepIds: ['step-2'] }, { parentStepIds: ['step-1'] }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry'),
    ],
    [
      'parent-of-itself',
      'The parents of the steps have no cycle.',
      project([one, two], {}, [{ parentStepIds: ['step-1'] }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry'),
    ],
    [
      'embedded-missing',
      'embeddedBundles keys = stepIds exactly.',
      change(good, 'embeddedBundles.step-2', undefined),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1]', { steps: ['OK', 'INCOMPLETE_ARTIFACT'] }),
    ],
    [
      'embedded-stray',
      'embeddedBundles keys = stepIds exactly.',
      change(good, 'embeddedBundles.step-3', two),
      bad('STEP_REGISTRY_MISMATCH', 'embeddedBundles'),
    ],
    [
      'embedded-text',
      'embeddedBundles is an object from stepId to the CER bundle of the step.',
      change(good, 'embeddedBundles.step-2', 'x'),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1]', { structuralValid: false }),
    ],
    [
      'embedded-without-its-hash',
      'The hash of an embedded bundle is the registry’s hash.',
      change(good, 'embeddedBundles.step-2.certificateHash', undefined),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1].certificateHash', { structuralValid: false }),
    ],
    [
      'embedded-with-a-malformed-hash',
      'The hash of an embedded bundle is the registry’s hash.',
      change(good, 'embeddedBundles.step-2.certificateHash', 'x'),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1].certificateHash', { structuralValid: false }),
    ],
    [
      'embedded-absent',
      'embeddedBundles keys = stepIds exactly.',
      without(good, 'embeddedBundles'),
      bad('STEP_REGISTRY_MISMATCH', 'embeddedBundles'),
    ],
    [
      'embedded-exchanged',
      'Embedded hash = registry hash.',
      change(good, 'embeddedBundles', { 'step-1': two, 'step-2': one }),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].certificateHash'),
    ],
    ...(['bundle', 'cer'] as const).map((name): CaseLine => [
      `embedded-in-a-${name}`,
      'Embedded hash = registry hash; the hash around a package is not the hash of what lies in it.',
      change(registered, 'embeddedBundles.step-1', {
        certificateHash: one['certificateHash'] ?? null,
        [name]: step('exec-x'),
      }),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0]', {
        structuralValid: false,
        nodeReceipt: 'PASS',
        steps: ['STEP_REGISTRY_MISMATCH', 'OK'],
      }),
    ]),
    [
      'embedded-in-a-reseal-by-name',
      'Labels are unsigned: nothing they say may loosen a check.',
      change(registered, 'embeddedBundles.step-1', { bundleType: 'signed-redacted-reseal', bundle: step('exec-x') }),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0]', { steps: ['STEP_REGISTRY_MISMATCH', 'OK'] }),
    ],
    [
      'execution-id-differs',
      'A registry member the snapshot also has is equal.',
      project([one, two], {}, [{ executionId: 'exec-x' }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].executionId'),
    ],
    [
      'entry-without-execution-id',
      'Only a registry member that the entry has is compared.',
      edited('stepRegistry.0.executionId', undefined),
      ok(),
    ],
    [
      'execution-id-that-reads-as-removed',
      'A registry member the snapshot also has is equal; only a reseal removes values.',
      project([step('[REDACTED]'), two], {}, [{ executionId: 'exec-a' }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].executionId'),
    ],
    [
      'model-identity-differs',
      'A registry member the snapshot also has is equal.',
      project([step('exec-a', { modelIdentity: { a: 1 } }), two], {}, [{ modelIdentity: { a: 2 } }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].modelIdentity'),
    ],
    [
      'steps-in-another-order',
      'steps, when present, equal to the registry in order.',
      {
        ...good,
        steps: [
          { certificateHash: two['certificateHash'] ?? null },
          { certificateHash: one['certificateHash'] ?? null },
        ],
      },
      bad('STEP_REGISTRY_MISMATCH', 'steps[0]'),
    ],
    [
      'steps-too-few',
      'steps, when present, equal to the registry in order.',
      { ...good, steps: [] },
      bad('STEP_REGISTRY_MISMATCH', 'steps'),
    ],
    [
      'steps-with-another-sequence',
      'steps, when present, equal to the registry in order.',
      change({ ...good, steps: good['stepRegistry'] ?? null }, 'steps.1.sequence', 5),
      bad('STEP_REGISTRY_MISMATCH', 'steps[1]'),
    ],
    ['chained', CHAIN, chained, ok(), CHAINS],
    ['chain-of-three', CHAIN, project(three), ok({ steps: ['OK', 'OK', 'OK'] }), CHAINS],
    [
      'chain-broken',
      CHAIN,
      project([one, step('exec-b', { prevStepHash: hashText('x') })]),
      bad('CHAIN_BREAK_DETECTED', 'embeddedBundles.step-2.snapshot.prevStepHash', { structuralValid: false }),
      CHAINS,
    ],
    [
      'chain-with-a-gap',
      CHAIN,
      project([one, two, three[2]]),
      bad('CHAIN_BREAK_DETECTED', 'embeddedBundles.step-2.snapshot.prevStepHash'),
      CHAINS,
    ],
    [
      'chain-begins-with-a-link',
      CHAIN,
      project([step('exec-a', { prevStepHash: hashText('x') }), two]),
      bad('CHAIN_BREAK_DETECTED', 'embeddedBundles.step-1.snapshot.prevStepHash'),
      CHAINS,
    ],
    [
      'chain-link-of-another-type',
      'A prevStepHash of another type is present, and is not the hash of the previous step.',
      project([one, step('exec-b', { prevStepHash: 42 })]),
      bad('CHAIN_BREAK_DETECTED', 'embeddedBundles.step-2.snapshot.prevStepHash', { structuralValid: false }),
      CHAINS,
    ],
    [
      'chain-begins-with-a-link-of-another-type',
      'A prevStepHash of another type is present, and the first step has none.',
      project([step('exec-a', { prevStepHash: {} }), two]),
      bad('CHAIN_BREAK_DETECTED', 'embeddedBundles.step-1.snapshot.prevStepHash', { structuralValid: false }),
      CHAINS,
    ],
    [
      'chain-in-another-order',
      CHAIN,
      project([three[0], three[2], three[1]]),
      bad('CHAIN_BREAK_DETECTED', 'embeddedBundles.step-2.snapshot.prevStepHash'),
      CHAINS,
    ],
    [
      'chain-sequence-with-a-gap',
      'sequence contiguous when given.',
      project([one, chainedTwo], {}, [{}, { sequence: 2 }]),
      bad('CHAIN_BREAK_DETECTED', 'stepRegistry[1].sequence'),
      CHAINS,
    ],
    badStep(
      'step-content-changed',
      'CERTIFICATE_HASH_MISMATCH.',
      change(two, 'snapshot.model', 'other'),
      'CERTIFICATE_HASH_MISMATCH',
    ),
    badStep('step-schema', 'SCHEMA_ERROR.', step('exec-b', { provider: '' }), 'SCHEMA_ERROR'),
    badStep(
      'step-without-tool-evidence',
      'Else the first failing step’s code.',
      step('exec-b', { toolCalls: [{ toolId: 'a', at: TIME }] }),
      'TOOL_EVIDENCE_MISSING',
      { structuralValid: true, projectHashValid: true },
    ),
    badStep(
      'step-with-wrong-input',
      'Else the first failing step’s code.',
      step('exec-b', { input: 'another' }),
      'INPUT_HASH_MISMATCH',
    ),
    badStep(
      'step-with-unknown-key',
      'Else the first failing step’s code.',
      await attest(two, { signer: OTHER, envelope: false }),
      'ATTESTATION_KEY_NOT_FOUND',
    ),
    [
      'schema-before-the-other-steps',
      'SCHEMA_ERROR before the first failing step’s code.',
      project([step('exec-a', { input: 'another' }), step('exec-b', { provider: '' })]),
      bad('SCHEMA_ERROR', null, { steps: ['INPUT_HASH_MISMATCH', 'SCHEMA_ERROR'] }),
    ],
    registeredButReceiptIs(
      'receipt-of-another-project',
      await register(good, { projectHash: hashText('x') }),
      'meta.attestation.receipt.projectHash',
    ),
    registeredButReceiptIs(
      'receipt-of-another-node',
      await register(good, { nodeId: 'another' }),
      'meta.attestation.receipt.nodeId',
    ),
    registeredButReceiptIs(
      'receipt-by-an-unknown-key',
      await register(good, {}, OTHER),
      'meta.attestation.receipt',
      'ATTESTATION_KEY_NOT_FOUND',
    ),
    registeredButReceiptIs(
      'receipt-signature-broken',
      change(registered, 'meta.attestation.signature', 'x'),
      'meta.attestation.signature',
    ),
    registeredButReceiptIs(
      'receipt-of-a-bundle',
      { ...good, meta: (await attest(one, { envelope: false }))['meta'] ?? null },
      'meta.attestation.receipt',
    ),
    registeredButReceiptIs(
      'signature-without-receipt',
      { ...good, signature: 'x' },
      'meta.attestation.receipt',
      'ATTESTATION_MISSING',
    ),
    registeredButReceiptIs(
      'kid-copy-lies',
      change(registered, 'meta.attestation.kid', OTHER.kid),
      'meta.attestation.kid',
    ),
    registeredButReceiptIs(
      'registered-at-copy-lies',
      { ...registered, registeredAt: '2020-01-01T00:00:00Z' },
      'registeredAt',
    ),
    registeredButReceiptIs(
      'second-receipt-differs',
      { ...registered, receipt: change(object(at(registered, 'meta.attestation.receipt')), 'registeredAt', '2020-01-01T00:00:00Z') },
      'receipt',
    ),
    registeredButReceiptIs(
      'receipt-around-the-project-differs',
      { bundle: registered, receipt: change(object(at(registered, 'meta.attestation.receipt')), 'registeredAt', '2020-01-01T00:00:00Z') },
      'receipt',
    ),
    registeredButReceiptIs('signature-around-the-project-differs', { bundle: registered, signature: 'x' }, 'signature'),
    registeredButReceiptIs('kid-around-the-project-lies', { bundle: registered, kid: OTHER.kid }, 'kid'),
    registeredButReceiptIs(
      'signature-around-the-project-without-receipt',
      { bundle: good, signature: 'x' },
      'meta.attestation.receipt',
      'ATTESTATION_MISSING',
    ),
    [
      'receipt-around-the-project',
      'Members beside {bundle: project} count as those at the top level of the project.',
      { bundle: good, ...pick(object(at(registered, 'meta.attestation')), ['receipt', 'signature', 'kid']) },
      ok({ nodeReceipt: 'PASS' }),
      { heading: 'Project receipt' },
    ],
    registeredButReceiptIs('second-signature-differs', { ...registered, signature: 'x' }, 'signature'),
    [
      'receipt-without-key-set',
      'No key set given for a signed bundle.',
      registered,
      bad('VERIFICATION_MATERIAL_UNAVAILABLE', 'meta.attestation.receipt', { nodeReceipt: 'FAIL' }),
      { keySet: null, heading: 'Project receipt' },
    ],
    [
      'withdrawn-step',
      'Withdrawn steps may be absent: status WITHDRAWN, code INCOMPLETE_ARTIFACT, the project VERIFIED.',
      withdrawn(registered),
      ok({
        nodeReceipt: 'PASS',
        steps: ['OK', 'INCOMPLETE_ARTIFACT'],
        stepStatuses: ['VERIFIED', 'WITHDRAWN'],
        passedSteps: 1,
      }),
      PUBLIC,
    ],
    [
      'withdrawn-step-without-receipt',
      'What is withdrawn is unsigned: only under a passing project receipt may steps be absent.',
      withdrawn(good),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1]', { stepStatuses: ['VERIFIED', 'FAILED'] }),
      PUBLIC,
    ],
    [
      'withdrawn-step-in-a-chain',
      'Chain checks use registry hashes.',
      withdrawn(await register(chained)),
      ok({ nodeReceipt: 'PASS', steps: ['OK', 'INCOMPLETE_ARTIFACT'] }),
      PUBLIC,
    ],
    [
      'public-form-with-a-reseal',
      'A step satisfies the hash rule when its reseal’s receipt names the registry hash as originalCertificateHash.',
      change(registered, 'embeddedBundles.step-1', proven),
      ok({ nodeReceipt: 'PASS', attestedSteps: 1 }),
      PUBLIC,
    ],
    [
      'reseal-without-its-link',
      'A reseal that removed prevStepHash breaks no chain: the registry and the registered step have it.',
      change(await register(chained), 'embeddedBundles.step-2', {
        ...withoutLink,
        meta: pick(object(withoutLink['meta']), ['attestation']),
      }),
      ok({ nodeReceipt: 'PASS', attestedSteps: 1 }),
      PUBLIC,
    ],
    [
      'reseal-of-another-original',
      'A step satisfies the hash rule when its reseal’s receipt names the registry hash as originalCertificateHash.',
      change(registered, 'embeddedBundles.step-1', otherReseal),
      bad('STEP_REGISTRY_MISMATCH', null, { steps: ['STEP_REGISTRY_MISMATCH', 'OK'] }),
      PUBLIC,
    ],
    [
      'reseal-without-its-receipt',
      'The label alone proves nothing.',
      change(registered, 'embeddedBundles.step-1', without(proven, 'meta')),
      bad('STEP_REGISTRY_MISMATCH', null, { steps: ['STEP_REGISTRY_MISMATCH', 'OK'] }),
      PUBLIC,
    ],
    [
      'reseal-without-project-receipt',
      'Only in the public form, with our project receipt, may a reseal represent a step.',
      change(good, 'embeddedBundles.step-1', proven),
      bad('STEP_REGISTRY_MISMATCH', null, { steps: ['STEP_REGISTRY_MISMATCH', 'OK'], structuralValid: true }),
      PUBLIC,
    ],
    [
      'public-form-without-key-set',
      'A reseal has another hash than its entry: that is a fault of its step, which names what is missing, not of structure.',
      change(registered, 'embeddedBundles.step-1', proven),
      bad('VERIFICATION_MATERIAL_UNAVAILABLE', 'meta.attestation.receipt', {
        ...{ structuralValid: true, nodeReceipt: 'FAIL' },
        steps: ['VERIFICATION_MATERIAL_UNAVAILABLE', 'OK'],
      }),
      { keySet: null, ...PUBLIC },
    ],
    [
      'malformed-receipt-without-key-set',
      'No key set given for a signed project: VERIFICATION_MATERIAL_UNAVAILABLE, before what a key would show.',
      change(registered, 'meta.attestation.receipt.registeredAt', 'yesterday'),
      bad('VERIFICATION_MATERIAL_UNAVAILABLE', 'meta.attestation.receipt', { nodeReceipt: 'FAIL' }),
      { keySet: null },
    ],
    [
      'public-form-of-another-node',
      'A reseal has another hash than its entry: that is a fault of its step, which names what is wrong, not of structure.',
      change(registered, 'embeddedBundles.step-1', proven),
      bad('ATTESTATION_INVALID_SIGNATURE', 'meta.attestation.receipt.nodeId', {
        ...{ structuralValid: true, nodeReceipt: 'FAIL' },
        steps: ['ATTESTATION_INVALID_SIGNATURE', 'OK'],
      }),
      { options: { nodeId: 'another' }, ...PUBLIC },
    ],
  ];
  const projects = group('project', 'Project structure', keySet(), lines).map((vector): Vector => ({
    ...vector,
    kind: 'project',
  }));
  const asCer = group('project', 'Project bundle', keySet(), [
    [
      'verified-as-a-cer',
      'A project bundle is verified as a project.',
      good,
      { status: 'FAILED', code: 'SCHEMA_ERROR', member: 'bundleType' },
    ],
  ]);
  return [...projects, ...asCer];
}
