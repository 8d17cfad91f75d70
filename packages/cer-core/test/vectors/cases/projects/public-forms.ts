import { change, object, pick, without } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, ok, PUBLIC, register, withdrawn } from './project.js';
import type { ProjectSamples } from './samples.js';

/** What a node publishes of a registered project: without withdrawn steps, with reseals for others. */
export async function publicFormLines({
  good,
  chained,
  registered,
  proven,
  withoutLink,
  otherReseal,
}: ProjectSamples): Promise<CaseLine[]> {
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
