import { change, type Json } from '../../forge.js';
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
  ];
}

/** `steps`, where present, lists the registry. */
export function listedStepLines({ one, two, good }: ProjectSamples): CaseLine[] {
  return [
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
  ];
}
