import { change, without, type Json } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, edited, ok, project, step } from './project.js';
import type { ProjectSamples } from './samples.js';

/** Pairs of values that some languages take for equal. */
const IDENTITIES: readonly (readonly [name: string, one: Json, other: Json])[] = [
  ['true-or-one', true, 1],
  ['false-or-zero', { a: false }, { a: 0 }],
  ['null-or-false', [null], [false]],
  ['null-or-text', null, 'null'],
  ['text-or-number', '1', 1],
  ['longer', [1], [1, 2]],
  ['array-or-object', [], {}],
];

export function embeddedLines({ one, two, good, registered }: ProjectSamples): CaseLine[] {
  return [
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
      edited(good, 'stepRegistry.0.executionId', undefined),
      ok(),
    ],
    [
      'execution-id-that-reads-as-removed',
      'A registry member the snapshot also has is equal; only a reseal removes values.',
      project([step('[REDACTED]'), two], {}, [{ executionId: 'exec-a' }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].executionId'),
    ],
    ...IDENTITIES.map(([name, one, other]): CaseLine => [
      `model-identity-is-${name}`,
      'A registry member the snapshot also has is equal.',
      project([step('exec-a', { modelIdentity: one }), two], {}, [{ modelIdentity: other }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].modelIdentity', { structuralValid: false }),
    ]),
    [
      'model-identity-is-equal-in-another-order',
      'A registry member the snapshot also has is equal.',
      project([step('exec-a', { modelIdentity: { a: [1, null], b: false } }), two], {}, [
        { modelIdentity: { b: false, a: [1, null] } },
      ]),
      ok(),
    ],
    [
      'model-identity-differs',
      'A registry member the snapshot also has is equal.',
      project([step('exec-a', { modelIdentity: { a: 1 } }), two], {}, [{ modelIdentity: { a: 2 } }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[0].modelIdentity'),
    ],
  ];
}
