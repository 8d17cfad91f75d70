import { change, without, type Json } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, edited, ok } from './project.js';
import type { ProjectSamples } from './samples.js';

export function formLines({ good }: ProjectSamples): CaseLine[] {
  const schema = (name: string, path: string, to: Json | undefined, member = path, code = 'SCHEMA_ERROR'): CaseLine => [
    name,
    'Checks: schema, structure, steps, hash.',
    edited(good, path, to),
    bad(code, member),
  ];
  return [
    schema('parents-are-text', 'stepRegistry.1.parentStepIds', 'step-1', 'stepRegistry[1].parentStepIds'),
    schema('parents-hold-a-number', 'stepRegistry.1.parentStepIds', [1], 'stepRegistry[1].parentStepIds'),
    schema('execution-id-is-a-number', 'stepRegistry.0.executionId', 7, 'stepRegistry[0].executionId'),
    ...['version', 'protocolVersion', 'projectBundleId', 'startedAt', 'completedAt'].map((name) =>
      schema(`${name}-number`.toLowerCase(), name, 7),
    ),
    schema('type-unknown', 'bundleType', 'cer.project.bundle.v2'),
    schema('registry-absent', 'stepRegistry', undefined),
    schema('registry-entry-text', 'stepRegistry', ['x'], 'stepRegistry[0]'),
    schema('step-id-empty', 'stepRegistry.0.stepId', '', 'stepRegistry[0].stepId'),
    schema(
      'registered-hash-malformed',
      'stepRegistry.0.certificateHash',
      'x',
      'stepRegistry[0].certificateHash',
      'INVALID_SHA256_FORMAT',
    ),
    schema('title-number', 'projectTitle', 7),
    [
      'algorithm-absent',
      'The algorithm may be absent; there is only one.',
      change(good, 'integrity.algorithm', undefined),
      ok(),
    ],
    [
      'algorithm-unknown',
      'integrity = {algorithm: "sha256-canonical-json", projectHash}.',
      change(good, 'integrity.algorithm', 'md5'),
      bad('SCHEMA_ERROR', 'integrity.algorithm'),
    ],
    [
      'integrity-absent',
      'integrity = {algorithm, projectHash}.',
      without(good, 'integrity'),
      bad('SCHEMA_ERROR', 'integrity'),
    ],
    ['not-an-object', 'A project is an object.', [], bad('SCHEMA_ERROR', '')],
  ];
}
