import { hashText } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, ok, project, step } from './project.js';
import type { ProjectSamples } from './samples.js';

export function chainLines({ one, two, chainedTwo, chained, three }: ProjectSamples): CaseLine[] {
  const CHAIN =
    'If one step has prevStepHash, all but the first do, each equal to the previous step’s hash in registry order.';
  const CHAINS = { heading: 'Chains', kind: 'project' } as const;
  return [
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
  ];
}
