import { change, type Json } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, ok, project, step } from './project.js';
import type { ProjectSamples } from './samples.js';

const LISTED = '`steps`, when present, has one object for each step in registry order.';

/** Members that the second step states in its entry and again in `steps`. */
const OTHERS: readonly (readonly [name: string, to: Json])[] = [
  ['stepId', 'step-9'],
  ['executionId', 'exec-x'],
  ['modelIdentity', { a: true }],
  ['parentStepIds', ['step-1', 'step-1']],
  ['stepLabel', 'Another'],
  ['stepType', null],
];

/** `steps`, where present, lists the registry. */
export function listedStepLines({ one, two, good }: ProjectSamples): CaseLine[] {
  const described = project([step('exec-a', { modelIdentity: { a: 1 } }), two], {}, [
    { modelIdentity: { a: 1 } },
    {
      ...{ modelIdentity: { a: 1 }, parentStepIds: ['step-1'], stepLabel: 'Second', stepType: 'llm' },
    },
  ]);
  const listed = { ...described, steps: described['stepRegistry'] ?? null };
  return [
    [
      'steps-in-another-order',
      LISTED,
      {
        ...good,
        steps: [
          { certificateHash: two['certificateHash'] ?? null },
          { certificateHash: one['certificateHash'] ?? null },
        ],
      },
      bad('STEP_REGISTRY_MISMATCH', 'steps[0]'),
    ],
    ...OTHERS.map(([name, to]): CaseLine => [
      `steps-with-another-${name}`.toLowerCase(),
      LISTED,
      change(listed, `steps.1.${name}`, to),
      bad('STEP_REGISTRY_MISMATCH', 'steps[1]', { structuralValid: false }),
    ]),
    ['steps-with-every-member', LISTED, listed, ok()],
    [
      'steps-with-the-hashes-alone',
      LISTED,
      {
        ...good,
        steps: [
          { certificateHash: one['certificateHash'] ?? null },
          { certificateHash: two['certificateHash'] ?? null },
        ],
      },
      ok(),
    ],
    [
      'steps-are-a-number',
      LISTED,
      { ...good, steps: 7 },
      bad('STEP_REGISTRY_MISMATCH', 'steps', { structuralValid: false }),
    ],
    [
      'steps-are-an-object',
      LISTED,
      { ...good, steps: { a: 1, b: 2 } },
      bad('STEP_REGISTRY_MISMATCH', 'steps', { structuralValid: false }),
    ],
    ['steps-too-few', LISTED, { ...good, steps: [] }, bad('STEP_REGISTRY_MISMATCH', 'steps')],
    [
      'steps-with-another-sequence',
      LISTED,
      change({ ...good, steps: good['stepRegistry'] ?? null }, 'steps.1.sequence', 5),
      bad('STEP_REGISTRY_MISMATCH', 'steps[1]'),
    ],
  ];
}
