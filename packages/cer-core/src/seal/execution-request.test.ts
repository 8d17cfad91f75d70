import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { describe, expect, it } from '@jest/globals';
import { CONFIDENTIAL_MEMBERS, executionRequest } from '../testing/index.js';
import { executionRequestFaults } from './execution-request.js';

const HASH = `sha256:${'a'.repeat(64)}`;
const SECRET = 'do not repeat me';
const without = (request: JsonObject, ...names: string[]): JsonObject =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !names.includes(name)));
const faultsOf = (members: JsonObject, ...removed: string[]): string[] =>
  executionRequestFaults(without(executionRequest(members), ...removed));
/** Every member that a request may have. */
const MEMBERS = [
  'provider',
  'model',
  'input',
  'inputHash',
  'output',
  'outputHash',
  'prompt',
  'executionId',
  'protocolVersion',
  'bundleType',
  'parameters',
  'modelVersion',
  'appId',
  'metadata',
  'context',
  'signals',
  'createdAt',
  'timestamp',
  'executionRole',
  'instruction',
  'instructionKind',
];
const v2 = { bundleType: 'cer.ai.execution.v2', protocolVersion: '1.3.0', executionRole: 'advisory' };

describe('a request without fault', () => {
  it.each<[string, JsonObject, string[]]>([
    ['as documented', {}, []],
    ['hashes instead of values', { inputHash: HASH, outputHash: HASH }, ['input', 'output']],
    ['an empty string', { input: '' }, []],
    ['an object and an array', { input: { a: 1 }, output: [] }, []],
    ['signals', { signals: [{ type: 'a', source: 'b', payload: {}, actor: 'x' }] }, []],
    ['no signals at all', { signals: [] }, []],
    ['a context', { context: { signals: [], more: 1 } }, []],
    ['free parameters', { parameters: { topP: null, seed: 7, stop: ['x'] } }, []],
    [
      'unknown fields, which are dropped',
      { prompt: 7, contextSummary: 7, declaration: 7, whatever: null, instruction: 7 },
      [],
    ],
    ['confidential', CONFIDENTIAL_MEMBERS, []],
    ['v2', v2, []],
    ['v2 with an instruction', { ...v2, instruction: 'x', instructionKind: 'label' }, []],
    ['v1 by name', { bundleType: 'cer.ai.execution.v1' }, []],
    ['a label of 256 characters', { provider: 'x'.repeat(256) }, []],
  ])('%s', (_, members, removed) => {
    expect(faultsOf(members, ...removed)).toEqual([]);
  });
});

describe('each fault is found and names its member', () => {
  it.each<[string, JsonValue, string]>([
    ['provider', '', 'provider'],
    ['provider', null, 'provider'],
    ['provider', 'x'.repeat(257), 'provider'],
    ['model', 'a\u0000', 'model'],
    ['model', 7, 'model'],
    ['modelVersion', {}, 'modelVersion'],
    ['appId', '', 'appId'],
    ['executionId', '', 'executionId'],
    ['executionId', '\ud800', 'executionId'],
    ['createdAt', '2026-13-01T00:00:00Z', 'createdAt'],
    ['timestamp', '2026-01-01', 'timestamp'],
    ['protocolVersion', '1.2', 'protocolVersion'],
    ['protocolVersion', '__proto__', 'protocolVersion'],
    ['protocolVersion', 1.2, 'protocolVersion'],
    ['bundleType', 'cer.ai.execution.v3', 'bundleType'],
    ['input', 7, 'input'],
    ['input', null, 'input'],
    ['input', true, 'input'],
    ['output', '\udfff', 'output'],
    ['inputHash', HASH, 'inputHash'],
    ['metadata', [], 'metadata'],
    ['parameters', [], 'parameters'],
    ['parameters', { temperature: '0' }, 'parameters.temperature'],
    ['parameters', { maxTokens: null }, 'parameters.maxTokens'],
    ['parameters', { topP: 'x' }, 'parameters.topP'],
    ['parameters', { seed: [] }, 'parameters.seed'],
    ['signals', {}, 'signals'],
    ['signals', [7], 'signals[0]'],
    ['signals', [{ source: 'b', payload: {} }], 'signals[0].type'],
    ['signals', [{ type: 'a', source: '', payload: {} }], 'signals[0].source'],
    ['signals', [{ type: 'a', source: 'b', payload: [] }], 'signals[0].payload'],
    ['context', {}, 'context.signals'],
    ['context', [], 'context'],
    ['context', { signals: null }, 'context.signals'],
  ])('%s: %j', (name, value, path) => {
    const faults = faultsOf({ [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]?.startsWith(`${path}: `)).toBe(true);
  });

  it('missing members', () => {
    expect(executionRequestFaults({}).map((fault) => fault.split(':')[0])).toEqual([
      'provider',
      'model',
      'input',
      'output',
    ]);
  });

  it.each<[JsonObject, string[], string[]]>([
    [{ inputHash: HASH, outputHash: HASH }, [], ['inputHash', 'outputHash']],
    [{}, ['prompt', 'parameters', 'input'], ['input', 'prompt', 'parameters']],
    [{ prompt: '' }, [], ['prompt']],
    [{ parameters: { temperature: 0, maxTokens: 1, topP: null } }, [], ['parameters.seed']],
    [{ parameters: { temperature: 0, maxTokens: 1, topP: null, seed: null, stop: 1 } }, [], ['parameters']],
    [
      { parameters: { temperature: null, maxTokens: null, topP: null, seed: null } },
      [],
      ['parameters.temperature', 'parameters.maxTokens'],
    ],
  ])('of the confidential protocol: %j without %j', (members, removed, paths) => {
    expect(faultsOf({ ...CONFIDENTIAL_MEMBERS, ...members }, ...removed).map((fault) => fault.split(':')[0])).toEqual(
      paths,
    );
  });

  it.each<[JsonObject, string[], string]>([
    [{}, ['protocolVersion'], 'protocolVersion'],
    [{}, ['executionRole'], 'executionRole'],
    [{ executionRole: 'boss' }, [], 'executionRole'],
    [{ instruction: 'x' }, [], 'instructionKind'],
    [{ instructionKind: 'system' }, [], 'instructionKind'],
    [{ instruction: '', instructionKind: 'system' }, [], 'instruction'],
    [{ instruction: 'x', instructionKind: 'user' }, [], 'instructionKind'],
  ])('of v2: %j without %j', (members, removed, path) => {
    const faults = faultsOf({ ...v2, ...members }, ...removed);
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([path]);
  });

  it('signals beside context', () => {
    expect(faultsOf({ context: { signals: [] }, signals: [] })).toEqual(['signals: must not be given beside context']);
  });

  it.each<[unknown]>([[null], ['x'], [[]], [7], [undefined], [new Date(0)]])(
    'a body that is not an object: %j',
    (body) => {
      expect(executionRequestFaults(body)).toEqual(['body: must be a JSON object']);
    },
  );
});

describe('null means absent for every direct member', () => {
  const plain = executionRequest();
  const confidential = executionRequest(CONFIDENTIAL_MEMBERS);
  const second = executionRequest({ ...v2, instruction: 'x', instructionKind: 'label' });
  const hashed = without(executionRequest({ inputHash: HASH, outputHash: HASH }), 'input', 'output');

  it.each<[string, JsonObject]>(
    Object.entries({ plain, confidential, second, hashed }).flatMap(([what, request]) =>
      MEMBERS.map((name): [string, JsonObject] => [`${what}, ${name}`, { ...request, [name]: null }]),
    ),
  )('%s', (_, request) => {
    const nulls = Object.keys(request).filter((name) => request[name] === null);
    expect(executionRequestFaults(request)).toEqual(executionRequestFaults(without(request, ...nulls)));
  });

  it('so a typed client may send every member', () => {
    const unset = Object.fromEntries(MEMBERS.map((name) => [name, null]));
    expect(executionRequestFaults({ ...unset, ...plain })).toEqual([]);
    expect(executionRequestFaults({ ...unset, ...hashed })).toEqual([]);
    expect(executionRequestFaults({ ...unset, ...confidential })).toEqual([]);
    expect(executionRequestFaults({ ...unset, ...second })).toEqual([]);
  });

  it('and inside a value it is data', () => {
    expect(faultsOf({ parameters: { temperature: null } })).toEqual([
      'parameters.temperature: must be a finite number',
    ]);
    expect(faultsOf({ context: { signals: null } })).toEqual(['context.signals: must be an array']);
    expect(faultsOf({ metadata: { unset: null }, parameters: { topP: null, stop: null } })).toEqual([]);
  });
});

describe('all faults at once', () => {
  it('are reported together, without their values', () => {
    const faults = executionRequestFaults({
      provider: `${SECRET}\u0000`,
      model: [SECRET],
      input: 7,
      output: SECRET,
      outputHash: SECRET,
      executionId: `${SECRET}\ud800`,
      createdAt: SECRET,
      protocolVersion: SECRET,
      bundleType: SECRET,
      metadata: SECRET,
      signals: [{ type: 7, source: SECRET, payload: SECRET }],
      context: SECRET,
      parameters: { temperature: SECRET },
    });
    expect(faults.length).toBeGreaterThanOrEqual(12);
    expect(faults.join(';')).not.toContain(SECRET);
  });
});
