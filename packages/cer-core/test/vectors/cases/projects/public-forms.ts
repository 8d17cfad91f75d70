import { change, object, pick, reseal, v1, without, type JsonObject } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, ok, project, PUBLIC, register, step, withdrawn } from './project.js';
import type { ProjectSamples } from './samples.js';

/** What a node publishes of a registered project: without withdrawn steps, with reseals for others. */
export async function publicFormLines({
  one,
  two,
  three,
  chainedTwo,
  good,
  chained,
  registered,
  proven,
  withoutLink,
  otherReseal,
}: ProjectSamples): Promise<CaseLine[]> {
  const resealOf = async (original: JsonObject, snapshot: JsonObject): Promise<JsonObject> => {
    const resealed = await reseal(v1(snapshot), {
      receipt: {
        scope: 'reseal',
        originalCertificateHash: original['certificateHash'] ?? null,
        redactionPolicy: 'public.v1:snapshot.prompt',
      },
    });
    return { ...resealed, meta: pick(object(resealed['meta']), ['attestation']) };
  };
  const otherLink = await resealOf(chainedTwo, { executionId: 'exec-b', prevStepHash: two['certificateHash'] ?? null });
  const withoutId = await resealOf(one, { executionId: '[REDACTED]' });
  const otherId = await resealOf(one, { executionId: 'exec-x' });
  return [
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
      'withdrawn-lists-other-values',
      'Steps that were hidden or deleted since are listed in `withdrawn`.',
      { ...withdrawn(registered), withdrawn: [7, {}, null, 'step-2'] },
      ok({ nodeReceipt: 'PASS', steps: ['OK', 'INCOMPLETE_ARTIFACT'], stepStatuses: ['VERIFIED', 'WITHDRAWN'] }),
      PUBLIC,
    ],
    [
      'withdrawn-lists-another-step',
      'Only steps listed in `withdrawn` may be absent.',
      { ...withdrawn(registered), withdrawn: ['step-1'] },
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1]', { nodeReceipt: 'PASS', stepStatuses: ['VERIFIED', 'FAILED'] }),
      PUBLIC,
    ],
    [
      'withdrawn-step-where-a-full-artefact-is-required',
      'Where a receipt or a full artefact is required, a withdrawn step is FAILED.',
      withdrawn(registered),
      bad('INCOMPLETE_ARTIFACT', null, { nodeReceipt: 'PASS', stepStatuses: ['VERIFIED', 'FAILED'] }),
      { ...PUBLIC, options: { requireFullArtifact: true } },
    ],
    [
      'withdrawn-step-within-a-chain',
      'The hashes compared are those of the registry, so a withdrawn step breaks no chain.',
      withdrawn(await register(project(three))),
      ok({ nodeReceipt: 'PASS', steps: ['OK', 'INCOMPLETE_ARTIFACT', 'OK'] }),
      { heading: 'Chains' },
    ],
    [
      'withdrawn-step-that-is-there-and-breaks-the-chain',
      'A withdrawn step breaks no chain where it is absent.',
      {
        ...(await register(project([one, step('exec-b', { prevStepHash: two['certificateHash'] ?? null })]))),
        withdrawn: ['step-2'],
      },
      bad('CHAIN_BREAK_DETECTED', 'embeddedBundles.step-2.snapshot.prevStepHash', { nodeReceipt: 'PASS' }),
      { heading: 'Chains' },
    ],
    [
      'reseal-with-another-link',
      'A reseal that holds another prevStepHash breaks the chain.',
      change(await register(chained), 'embeddedBundles.step-2', otherLink),
      bad('CHAIN_BREAK_DETECTED', 'embeddedBundles.step-2.snapshot.prevStepHash', { nodeReceipt: 'PASS' }),
      { heading: 'Chains' },
    ],
    [
      'reseal-without-its-execution-id',
      'A member of an entry that the snapshot also has is equal to it, except where a reseal removed it.',
      change(registered, 'embeddedBundles.step-1', withoutId),
      ok({ nodeReceipt: 'PASS', attestedSteps: 1 }),
      { heading: 'Project structure' },
    ],
    [
      'reseal-with-another-execution-id',
      'A member of an entry that the snapshot also has is equal to it, except where a reseal removed it.',
      change(registered, 'embeddedBundles.step-1', otherId),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].executionId', { structuralValid: false, nodeReceipt: 'PASS' }),
      { heading: 'Project structure' },
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
}
