// G11: the cost of a project per step is independent of its length and uses both cores.
import { createPublicKey, verify as verifySync } from 'node:crypto';
import { buildProject } from '@cer/cer-core/seal';
import { evaluateProject } from '@cer/cer-core/verify';
import { createVerifier, toSpki } from '@cer/keys';
import { certifiedOfSize, keySet } from './fixtures.mjs';
import { clocks, measure, rateOf, ratio } from './measure.mjs';

const verifiedAt = '2026-01-02T03:04:05.678Z';

async function projectOf(steps) {
  const bundles = [];
  for (let index = 0; index < steps; index += 1) bundles.push(await certifiedOfSize(1024, `step-${index}`));
  return buildProject(
    { projectBundleId: 'bench', projectTitle: 'Bench', startedAt: verifiedAt, completedAt: verifiedAt },
    bundles.map((bundle, index) => ({ stepId: `step-${index}`, bundle })),
  );
}

/** One signature at a time on this thread: the cost of a project without the thread pool. */
const keys = new Map();
const serialVerifier = createVerifier({
  name: 'serial',
  verify: async (raw, message, signature) => {
    const id = Buffer.from(raw).toString('hex');
    if (!keys.has(id))
      keys.set(id, createPublicKey({ key: Buffer.from(toSpki({ raw })), format: 'der', type: 'spki' }));
    return verifySync(null, message, keys.get(id), signature);
  },
});

export async function projectCases({ rounds, longSteps }) {
  const short = await projectOf(10);
  const long = await projectOf(longSteps);
  const check = async (project, options = {}) => {
    const evaluation = await evaluateProject(project, { keySet, verifiedAt, ...options });
    if (evaluation.status !== 'VERIFIED') throw new Error('must verify');
  };
  const cases = await measure(
    [
      { name: 'project, 10 steps', unit: 'steps/s', operations: 10, run: () => check(short) },
      { name: `project, ${longSteps} steps`, unit: 'steps/s', operations: longSteps, run: () => check(long) },
      {
        name: `project, ${longSteps} steps, one signature at a time`,
        unit: 'steps/s',
        operations: longSteps,
        run: () => check(long, { verifySignature: serialVerifier }),
      },
    ],
    { rounds, secondsPerRound: 0.5, clock: clocks.wall },
  );
  const longRate = rateOf(cases, `project, ${longSteps} steps`);
  return {
    cases,
    ratios: [
      ratio('G11', `us/step, ${longSteps} / 10 steps`, rateOf(cases, 'project, 10 steps') / longRate, 1.05, {
        atMost: true,
      }),
      ratio('G11', 'parallel / serial', longRate / cases[2].median, 1.85),
    ],
  };
}
