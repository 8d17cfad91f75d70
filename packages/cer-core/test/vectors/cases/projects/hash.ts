import { attest, change, hashText, type Json } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, ok, project } from './project.js';
import type { ProjectSamples } from './samples.js';

export async function hashLines({ one, two, good, registered }: ProjectSamples): Promise<CaseLine[]> {
  const hash = (name: string, path: string, to: Json | undefined): CaseLine => [
    name,
    'projectHash covers the members of the project and its whole registry.',
    change(good, path, to),
    bad('PROJECT_HASH_MISMATCH', 'integrity.projectHash', { projectHashValid: false }),
  ];
  return [
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
    [
      'tags-are-text',
      'projectHash covers tags when they are a non-empty array.',
      { ...project([one, two], { tags: [] }), tags: 'x' },
      ok(),
    ],
    ['wrapped-number', 'A project is an object.', { bundle: 7 }, bad('SCHEMA_ERROR', '', { steps: [] })],
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
  ];
}
