import { describe, expect, it } from '@jest/globals';
import { isJsonObject } from '@cer/canonical-json';
import { sha256, type Finding } from '@cer/cer-core';
import { TEST_TIME } from '@cer/cer-core/testing';
import { evaluateProject } from '@cer/cer-core/verify';
import { longProject } from '../../test/long-project.js';
import { checkProject } from './check-project.js';

describe('a chain that is broken at every step', () => {
  it('is shown without reading all breaks for each step', async () => {
    const count = 300;
    const whole = await longProject(count);
    const embedded = whole['embeddedBundles'];
    if (!isJsonObject(embedded)) throw new Error('the project has no bundles');
    const broken = Object.fromEntries(
      Object.entries(embedded).map(([stepId, bundle]) => {
        const snapshot = isJsonObject(bundle) ? bundle['snapshot'] : undefined;
        if (!isJsonObject(bundle) || !isJsonObject(snapshot)) throw new Error('the step has no snapshot');
        return [stepId, { ...bundle, snapshot: { ...snapshot, prevStepHash: sha256('another') } }];
      }),
    );
    const project = { ...whole, embeddedBundles: broken };
    const evaluation = await evaluateProject(project, { keySet: null, verifiedAt: TEST_TIME });
    let reads = 0;
    const watched = (finding: Finding): Finding =>
      new Proxy(finding, {
        get: (target, name, receiver) => {
          reads++;
          return Reflect.get(target, name, receiver) as unknown;
        },
      });
    const findings = evaluation.findings.map(watched);
    const pins = { keySet: null, keySource: null, askedHash: null };
    const { steps } = checkProject({ value: project, project, evaluation: { ...evaluation, findings }, ...pins });
    expect(steps.filter(({ breaksChain }) => breaksChain)).toHaveLength(count);
    expect(steps[1]?.findings[0]).toMatchObject({
      code: 'CHAIN_BREAK_DETECTED',
      member: 'embeddedBundles.step-2.snapshot.prevStepHash',
    });
    expect(reads).toBeLessThan(50 * count);
  });
});
