import { keySet } from '../forge.js';
import { group, type CaseLine, type Vector } from '../vector.js';
import { chainLines } from './projects/chains.js';
import { demandLines } from './projects/demands.js';
import { embeddedLines } from './projects/embedded.js';
import { formLines } from './projects/form.js';
import { hashLines } from './projects/hash.js';
import { listedStepLines } from './projects/listed-steps.js';
import { publicFormLines } from './projects/public-forms.js';
import { receiptDateLines, receiptLines } from './projects/receipts.js';
import { registryLines } from './projects/registry.js';
import { projectSamples } from './projects/samples.js';
import { stepLines } from './projects/steps.js';

export async function projectCases(): Promise<Vector[]> {
  const samples = await projectSamples();
  const lines: readonly CaseLine[] = [
    ...(await demandLines(samples)),
    ...(await receiptDateLines(samples)),
    ...(await hashLines(samples)),
    ...formLines(samples),
    ...registryLines(samples),
    ...embeddedLines(samples),
    ...listedStepLines(samples),
    ...chainLines(samples),
    ...(await stepLines(samples)),
    ...(await receiptLines(samples)),
    ...(await publicFormLines(samples)),
  ];
  const projects = group('project', 'Project structure', keySet(), lines).map((vector): Vector => ({
    ...vector,
    kind: 'project',
  }));
  const asCer = group('project', 'Project bundle', keySet(), [
    [
      'verified-as-a-cer',
      'A project bundle is verified as a project.',
      samples.good,
      { status: 'FAILED', code: 'SCHEMA_ERROR', member: 'bundleType' },
    ],
  ]);
  return [...projects, ...asCer];
}
