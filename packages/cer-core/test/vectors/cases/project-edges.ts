import { attest, change, confidential, hashOnly, keySet, object, pick, reseal, seal, v1, type Json, type JsonObject } from '../forge.js';
import { group, type CaseLine, type Vector } from '../vector.js';
import { bad, project, register, sealProject, step } from './projects/project.js';

/** Several faults at once, `null` where a member is optional, and parts that only one kind of project has. */
export async function projectEdgeCases(): Promise<Vector[]> {
  const one = step('exec-a');
  const two = step('exec-b');
  const good = project([one, two]);
  const registered = await register(good);
  const lines = [...formLines(good), ...(await stepLines(good, registered)), ...(await chainLines(one))];
  return group('project', 'Project verification', keySet(), [
    ...lines,
    [
      'malformed-receipt-without-a-signature',
      'ATTESTATION_MISSING when only a part of the attestation is present.',
      change(change(registered, 'meta.attestation.receipt.x', 1), 'meta.attestation.signature', undefined),
      bad('ATTESTATION_MISSING', 'meta.attestation.receipt', { nodeReceipt: 'FAIL', steps: ['OK', 'OK'] }),
      { heading: 'Project receipt' },
    ],
    [
      'step-is-confidential',
      'The status of a step is that of its bundle by itself.',
      project([await attest(seal(confidential())), one]),
      {
        ...{ status: 'VERIFIED', code: 'OK', steps: ['OK', 'OK'], passedSteps: 2, attestedSteps: 1 },
        stepStatuses: ['VERIFIED_CONFIDENTIAL', 'VERIFIED'],
      },
    ],
    [
      'receipt-without-its-time',
      'A receipt that lacks a member is ATTESTATION_MISSING.',
      change(registered, 'meta.attestation.receipt.registeredAt', undefined),
      bad('ATTESTATION_MISSING', 'meta.attestation.receipt', { nodeReceipt: 'FAIL', steps: ['OK', 'OK'] }),
      { heading: 'Receipt' },
    ],
  ]).map((vector): Vector => ({ ...vector, kind: 'project' }));
}

function formLines(good: JsonObject): CaseLine[] {
  const edited = (path: string, to: Json | undefined): JsonObject => sealProject(change(good, path, to));
  const NULL = '`null` is a value, and means absent only where this document says so.';
  const form = (name: string, rule: string, bundle: JsonObject, member: string): CaseLine => [
    name,
    rule,
    bundle,
    bad('SCHEMA_ERROR', member, { structuralValid: false }),
    { heading: 'Project structure' },
  ];
  const entry = (name: string, member: string, to: Json): CaseLine =>
    form(name, NULL, edited(`stepRegistry.0.${member}`, to), `stepRegistry[0].${member}`);
  return [
    entry('execution-id-is-null', 'executionId', null),
    entry('parents-are-null', 'parentStepIds', null),
    form(
      'sequence-beyond-the-integers',
      '`sequence` is an integer from -(2^53-1) to 2^53-1.',
      edited('stepRegistry.1.sequence', 2 ** 53),
      'stepRegistry[1].sequence',
    ),
    form('title-is-null', NULL, edited('projectTitle', null), 'projectTitle'),
    [
      'beside-a-bundle-and-changed',
      'An object that is a project by its bundleType and also has a member bundle is refused.',
      { ...change(good, 'projectTitle', 'Another'), bundle: good },
      bad('SCHEMA_ERROR', '', { structuralValid: false, projectHashValid: false, steps: [] }),
      { heading: 'Project hash' },
    ],
    [
      'model-identity-is-null',
      'A member of an entry that the snapshot also has is equal to it.',
      project([step('exec-a', { modelIdentity: 'a model' }), step('exec-b')], {}, [{ modelIdentity: null }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].modelIdentity', { structuralValid: false }),
      { heading: 'Project structure' },
    ],
    form(
      'attestation-is-text-beside-a-faulty-registry',
      'For a stepRegistry with a fault of form schema and hash are checked.',
      change(edited('stepRegistry.0.certificateHash', 'x'), 'meta', { attestation: 'x' }),
      'meta.attestation',
    ),
  ];
}

async function stepLines(good: JsonObject, registered: JsonObject): Promise<CaseLine[]> {
  const one = step('exec-a');
  const own = await reseal(v1({ executionId: 'exec-a', prompt: '[REDACTED]' }));
  const FIRST = 'A step fails by its own first fault.';
  const first = (name: string, rule: string, bundle: JsonObject, code: string): CaseLine => [
    name,
    rule,
    bundle,
    bad(code, null, { steps: [code, 'OK'], stepStatuses: ['FAILED', 'VERIFIED'], passedSteps: 1, attestedSteps: 0 }),
  ];
  const alone = hashOnly({ certificateHash: one['certificateHash'] ?? null, version: '7' });
  return [
    first(
      'hash-alone-of-an-unknown-version',
      FIRST,
      change(good, 'embeddedBundles.step-1', await attest(alone, { envelope: false, receipt: { scope: 'hash-only' } })),
      'SCHEMA_ERROR',
    ),
    first(
      'changed-reseal-under-its-own-hash',
      FIRST,
      change(project([own, step('exec-b')]), 'embeddedBundles.step-1.snapshot.model', 'other'),
      'CERTIFICATE_HASH_MISMATCH',
    ),
    first(
      'step-in-a-package',
      'A package in the place of a step fails, whatever is in it.',
      change(registered, 'embeddedBundles.step-1', { cer: one }),
      'STEP_REGISTRY_MISMATCH',
    ),
    first(
      'step-in-a-package-beside-a-snapshot',
      'A package in the place of a step fails, whatever is in it.',
      change(registered, 'embeddedBundles.step-1.cer', one),
      'STEP_REGISTRY_MISMATCH',
    ),
  ];
}

async function chainLines(one: JsonObject): Promise<CaseLine[]> {
  const link = (bundle: JsonObject): JsonObject => ({ prevStepHash: bundle['certificateHash'] ?? null });
  const second = step('exec-b', link(one));
  const three = [one, second, step('exec-c', link(second))];
  const withoutSecond = (first: number, last: number): JsonObject =>
    sealProject(
      change(project(three, {}, [{ sequence: first }, {}, { sequence: last }]), 'stepRegistry.1.sequence', undefined),
    );
  const broken = (member: string, more: JsonObject = {}): JsonObject =>
    bad('CHAIN_BREAK_DETECTED', member, { structuralValid: false, ...more });
  const linked = step('exec-a', { prevStepHash: 'x' });
  const hidden = await reseal(v1({ executionId: 'exec-a', prompt: '[REDACTED]', prevStepHash: '[REDACTED]' }), {
    receipt: {
      scope: 'reseal',
      originalCertificateHash: linked['certificateHash'] ?? null,
      redactionPolicy: 'public.v1:snapshot.prevStepHash,snapshot.prompt',
    },
  });
  const GIVEN = 'Each given sequence is one more than the given one before it.';
  const chains = { heading: 'Chains' };
  return [
    ['chain-sequence-beside-a-step-without', GIVEN, withoutSecond(0, 1), { status: 'VERIFIED', code: 'OK' }, chains],
    ['chain-sequence-over-a-step-without', GIVEN, withoutSecond(0, 2), broken('stepRegistry[2].sequence'), chains],
    [
      'chain-over-a-reseal-without-snapshot',
      'Nor does a reseal break the chain, also one without its prevStepHash.',
      change(project(three), 'embeddedBundles.step-2', { ...hidden, snapshot: 'x' }),
      bad('SCHEMA_ERROR', null, { structuralValid: true, steps: ['OK', 'SCHEMA_ERROR', 'OK'] }),
      chains,
    ],
    [
      'chain-begins-with-a-removed-link',
      'The first step has no prevStepHash; one that a reseal removed was there.',
      await register(
        change(project([linked, step('exec-b', link(linked))]), 'embeddedBundles.step-1', {
          ...hidden,
          meta: pick(object(hidden['meta']), ['attestation']),
        }),
      ),
      broken('embeddedBundles.step-1.snapshot.prevStepHash', { nodeReceipt: 'PASS' }),
      chains,
    ],
  ];
}
