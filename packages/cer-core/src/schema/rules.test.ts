import type { JsonObject } from '@cer/canonical-json';
import { describe, expect, it } from '@jest/globals';
import { evaluateProject } from '../project/verify-project.js';
import { executionRequestFaults } from '../seal/execution-request.js';
import { CONFIDENTIAL_MEMBERS, executionRequest, sealed } from '../testing/index.js';
import { checkContent } from '../verify/check-content.js';
import { MAX_ARRAY_FAULTS } from './rules.js';

/** Each element takes a few bytes in a body, and each fault a sentence in the answer. */
const wrong = Array.from({ length: 100_000 }, () => 0);

describe('an array of wrong elements', () => {
  it('reports every fault up to the limit, in order', () => {
    const faults = executionRequestFaults(executionRequest({ signals: wrong, model: 5 }));
    expect(faults).toHaveLength(MAX_ARRAY_FAULTS + 1);
    expect(faults.at(-1)).toBe(`signals[${MAX_ARRAY_FAULTS - 1}]: must be an object`);
    expect(executionRequestFaults(executionRequest({ signals: wrong.slice(0, 999) }))).toHaveLength(999);
  });

  it('has the same limit in bundles and projects', async () => {
    const { bundle } = sealed();
    const snapshot = { ...(bundle['snapshot'] as JsonObject), toolCalls: wrong };
    expect(checkContent({ ...bundle, snapshot }).findings.length).toBeLessThan(2 * MAX_ARRAY_FAULTS);
    const project = { bundleType: 'cer.project.bundle.v1', stepRegistry: wrong };
    const { findings } = await evaluateProject(project, { keySet: null, verifiedAt: '2026-01-01T00:00:00Z' });
    expect(findings.length).toBeGreaterThanOrEqual(MAX_ARRAY_FAULTS);
    expect(findings.length).toBeLessThan(MAX_ARRAY_FAULTS + 10);
  });

  it('reports a wrong element behind valid ones', () => {
    const signal = { type: 't', source: 's', payload: {} };
    const signals = [...Array.from({ length: 5000 }, () => signal), { ...signal, type: '' }];
    expect(executionRequestFaults(executionRequest({ signals }))).toEqual([
      'signals[5000].type: must be a non-empty string',
    ]);
  });
});

describe('bundles of no registered step', () => {
  it('are one fault, whatever their number', async () => {
    const project = {
      ...{ bundleType: 'cer.project.bundle.v1', totalSteps: 0, stepRegistry: [] },
      embeddedBundles: Object.fromEntries(wrong.map((value, index) => [`stray ${index}`, value])),
    };
    const { findings } = await evaluateProject(project, { keySet: null, verifiedAt: '2026-01-01T00:00:00Z' });
    expect(findings.filter(({ member }) => member === 'embeddedBundles')).toHaveLength(1);
  });
});

describe('parameters that must be exactly four', () => {
  it('are one fault, whatever their number', () => {
    const parameters = { ...(CONFIDENTIAL_MEMBERS['parameters'] as JsonObject), a: 1, b: 2, c: 3 };
    expect(executionRequestFaults(executionRequest({ ...CONFIDENTIAL_MEMBERS, parameters }))).toEqual([
      'parameters: must have exactly temperature, maxTokens, topP, seed',
    ]);
  });
});
