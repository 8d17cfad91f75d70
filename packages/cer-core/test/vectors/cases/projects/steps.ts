import { attest, change, OTHER, TIME, type JsonObject } from '../../forge.js';
import type { CaseLine } from '../../vector.js';
import { bad, project, register, step } from './project.js';
import type { ProjectSamples } from './samples.js';

export async function stepLines({ one, two }: ProjectSamples): Promise<CaseLine[]> {
  const badStep = (name: string, rule: string, bundle: JsonObject, code: string, more: JsonObject = {}): CaseLine => [
    name,
    rule,
    project([one, bundle]),
    bad(code, null, { steps: ['OK', code], ...more }),
  ];
  return [
    badStep(
      'step-content-changed',
      'CERTIFICATE_HASH_MISMATCH.',
      change(two, 'snapshot.model', 'other'),
      'CERTIFICATE_HASH_MISMATCH',
    ),
    badStep('step-schema', 'SCHEMA_ERROR.', step('exec-b', { provider: '' }), 'SCHEMA_ERROR'),
    badStep(
      'step-without-tool-evidence',
      'Else the first failing step’s code.',
      step('exec-b', { toolCalls: [{ toolId: 'a', at: TIME }] }),
      'TOOL_EVIDENCE_MISSING',
      { structuralValid: true, projectHashValid: true },
    ),
    badStep(
      'step-with-wrong-input',
      'Else the first failing step’s code.',
      step('exec-b', { input: 'another' }),
      'INPUT_HASH_MISMATCH',
    ),
    badStep(
      'step-with-unknown-key',
      'Else the first failing step’s code.',
      await attest(two, { signer: OTHER, envelope: false }),
      'ATTESTATION_KEY_NOT_FOUND',
    ),
    [
      'changed-step-before-a-schema',
      'By priority: CERTIFICATE_HASH_MISMATCH before SCHEMA_ERROR.',
      project([step('exec-a', { provider: '' }), change(step('exec-b'), 'snapshot.model', 'other')]),
      bad('CERTIFICATE_HASH_MISMATCH', null, { steps: ['SCHEMA_ERROR', 'CERTIFICATE_HASH_MISMATCH'] }),
      { heading: 'Project verification' },
    ],
    [
      'first-failing-step',
      'Else the code is that of the first failing step.',
      project([step('exec-a', { input: 'another' }), step('exec-b', { toolCalls: [{ toolId: 'a', at: TIME }] })]),
      bad('INPUT_HASH_MISMATCH', null, { steps: ['INPUT_HASH_MISMATCH', 'TOOL_EVIDENCE_MISSING'] }),
      { heading: 'Project verification' },
    ],
    [
      'failing-step-before-the-receipt',
      'Else the code is that of the first failing step, else that of the first other finding.',
      await register(project([one, step('exec-b', { input: 'another' })]), { nodeId: 'another' }),
      bad('INPUT_HASH_MISMATCH', null, { nodeReceipt: 'FAIL', steps: ['OK', 'INPUT_HASH_MISMATCH'] }),
      { heading: 'Project verification' },
    ],
    [
      'schema-before-the-other-steps',
      'SCHEMA_ERROR before the first failing step’s code.',
      project([step('exec-a', { input: 'another' }), step('exec-b', { provider: '' })]),
      bad('SCHEMA_ERROR', null, { steps: ['INPUT_HASH_MISMATCH', 'SCHEMA_ERROR'] }),
    ],
  ];
}
