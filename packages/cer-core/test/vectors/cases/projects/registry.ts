import type { Json } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, edited, ok, project, step } from './project.js';
import type { ProjectSamples } from './samples.js';

export function registryLines({ one, two, good }: ProjectSamples): CaseLine[] {
  const UNIQUE = 'stepIds, sequences, certificateHashes, executionIds unique.';
  const structure = (name: string, rule: string, path: string, to: Json | undefined, member: string): CaseLine => [
    name,
    rule,
    edited(good, path, to),
    bad('STEP_REGISTRY_MISMATCH', member, { structuralValid: false }),
  ];
  return [
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
      'sequences-at-the-limits',
      '`sequence` is an integer from -(2^53-1) to 2^53-1.',
      edited(edited(good, 'stepRegistry.0.sequence', -(2 ** 53 - 1)), 'stepRegistry.1.sequence', 2 ** 53 - 1),
      ok(),
    ],
    [
      'sequence-is-true',
      '`sequence` is an integer from -(2^53-1) to 2^53-1.',
      edited(good, 'stepRegistry.1.sequence', true),
      bad('SCHEMA_ERROR', 'stepRegistry[1].sequence', { structuralValid: false }),
    ],
    [
      'members-given-once',
      'stepId, sequence, certificateHash and executionId are each unique in the registry, where given.',
      edited(
        edited(edited(good, 'stepRegistry.0.executionId', undefined), 'stepRegistry.1.executionId', undefined),
        'stepRegistry.0.sequence',
        undefined,
      ),
      ok(),
    ],
    [
      'step-named-twice',
      'The bundle of a step is judged once, at its first entry; an entry whose stepId an entry before it has fails.',
      project([one, two, step('exec-c')], { embeddedBundles: { 'step-1': one, 'step-2': two } }, [
        {},
        {},
        { stepId: 'step-1' },
      ]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[2].stepId', {
        structuralValid: false,
        steps: ['OK', 'OK', 'STEP_REGISTRY_MISMATCH'],
        stepStatuses: ['VERIFIED', 'VERIFIED', 'FAILED'],
        passedSteps: 2,
      }),
      { heading: 'Project verification' },
    ],
    [
      'entry-twice',
      'The bundle of a step is judged once, at its first entry; an entry whose stepId an entry before it has fails.',
      project([one, one], { embeddedBundles: { 'step-1': one } }, [{}, { stepId: 'step-1' }]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry[1].stepId', {
        ...{ structuralValid: false, steps: ['OK', 'STEP_REGISTRY_MISMATCH'] },
        passedSteps: 1,
      }),
      { heading: 'Project verification' },
    ],
    [
      'cycle-beside-a-step-outside-it',
      'The parents of the steps have no cycle.',
      project([one, two, step('exec-c')], {}, [
        {},
        { parentStepIds: ['step-1', 'step-3'] },
        { parentStepIds: ['step-2'] },
      ]),
      bad('STEP_REGISTRY_MISMATCH', 'stepRegistry', { structuralValid: false }),
    ],
    [
      'two-parents',
      'The parents of the steps have no cycle.',
      project([one, two, step('exec-c')], {}, [
        {},
        { parentStepIds: ['step-1'] },
        { parentStepIds: ['step-1', 'step-2'] },
      ]),
      ok({ steps: ['OK', 'OK', 'OK'] }),
    ],
  ];
}
