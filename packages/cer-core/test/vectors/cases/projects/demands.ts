import { attest, change, hashOnly, type JsonObject } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, ok, project, PUBLIC, register, withdrawn } from './project.js';
import type { ProjectSamples } from './samples.js';

/** What a caller requires of a project and its steps. */
export async function demandLines({ one, two, good, registered, proven }: ProjectSamples): Promise<CaseLine[]> {
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
  return [
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
  ];
}
