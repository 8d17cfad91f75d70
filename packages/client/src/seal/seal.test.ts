import { describe, expect, it } from '@jest/globals';
import { executionRequestFaults } from '@cer/cer-core/seal';
import type { JsonMembers } from '../json.js';
import { seal, SealError } from './seal.js';

const execution = {
  executionId: 'e',
  protocolVersion: '1.3.0',
  provider: 'p',
  model: 'm',
  appId: 'a',
  createdAt: '2026-11-25T00:00:00.000Z',
  timestamp: '2026-11-25T00:00:00.000Z',
  input: 'in',
  output: 'out',
};

describe('sealing after a description with the same labels', () => {
  it.each<[string, JsonMembers]>([
    ['a number', { output: 1 }],
    ['null', { input: null }],
    ['an empty hash', { output: null, outputHash: '' }],
    ['a line feed in a label', { model: 'm\na', appId: '' }],
    ['a confidential call without parameters', { protocolVersion: '1.3.1', prompt: 'p' }],
  ])('refuses %s', (_, changed) => {
    seal(execution);
    const described = { ...execution, ...changed };
    const sealing = (): unknown => seal(described);
    expect(sealing).toThrow(SealError);
    expect(sealing).toThrow(executionRequestFaults(described).join('; '));
  });

  it('refuses text without a canonical form', () => {
    seal(execution);
    expect(() => seal({ ...execution, output: '\ud800' })).toThrow(SealError);
  });

  it('seals empty texts', () => {
    seal(execution);
    expect(seal({ ...execution, input: '', output: '' }).bundle).toMatchObject({ bundleType: 'cer.ai.execution.v1' });
  });
});

describe('the text of a sealed bundle', () => {
  const parameters = { temperature: 0.1, maxTokens: 1e21, topP: null, seed: null };

  it.each<[string, JsonMembers]>([
    ['1.2.0', {}],
    ['1.3.0', {}],
    ['1.3.1', { prompt: 'p' }],
  ])('is its JSON on one line, under %s', (protocolVersion, more) => {
    const signals = [{ type: 't', source: 's', payload: { text: 'a "line"\n\u2028', id: null } }];
    const { bundle, text } = seal({ ...execution, protocolVersion, parameters, signals, ...more });
    expect(JSON.parse(text)).toEqual(bundle);
    expect(text).not.toContain('\n');
  });
});
