import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseKeySet } from '@cer/keys';
import { jcsV1, parseJson } from '@cer/canonical-json';
import { PROTOCOLS, type Protocol } from '../src/index.js';
import { protocolRegistry } from '../src/protocols/protocols.js';
import { deriveSalts, executionRequestFaults, sealExecution } from '../src/seal.js';
import { evaluateCer } from '../src/verify.js';
import { executionRequest, TEST_TIME } from '../src/testing/index.js';
import { attest, keySet, seal, v1 } from './vectors/forge.js';
import { committedCase } from './vectors/committed.js';

/** An unknown version. It needs only this row and a vector. */
const row: Protocol = {
  version: '1.4.0',
  profile: jcsV1,
  sealing: 'plain',
  verdict: 'VERIFIED',
  requiredMembers: ['prompt'],
  exactParameters: ['temperature'],
};
const protocols = protocolRegistry([...PROTOCOLS.values(), row]);
const options = { keySet: parseKeySet(keySet()), verifiedAt: TEST_TIME };

describe('adding a protocol version', () => {
  it('verifies its vector only with the row', async () => {
    const bundle = parseJson(committedCase('v1-protocol-unknown').bundle);
    await expect(evaluateCer(bundle, options)).resolves.toMatchObject({ status: 'FAILED', code: 'SCHEMA_ERROR' });
    const free = protocolRegistry([...PROTOCOLS.values(), { ...row, requiredMembers: [], exactParameters: null }]);
    await expect(evaluateCer(bundle, { ...options, protocols: free })).resolves.toMatchObject({
      status: 'VERIFIED',
      protocolVersion: '1.4.0',
      canonicalization: 'jcs-v1',
    });
  });

  it('applies its row in all three layers', async () => {
    const bundle = await attest(seal(v1({ protocolVersion: '1.4.0', prompt: 'Answer.' })));
    await expect(evaluateCer(bundle, { ...options, protocols })).resolves.toMatchObject({
      status: 'VERIFIED',
      receipt: { status: 'PASS' },
      envelope: { status: 'PASS' },
    });
    const withoutPrompt = seal(v1({ protocolVersion: '1.4.0' }));
    await expect(evaluateCer(withoutPrompt, { ...options, protocols })).resolves.toMatchObject({
      code: 'PROTECTED_FIELD_MISSING',
    });
    const otherParameters = seal(v1({ protocolVersion: '1.4.0', prompt: 'x', parameters: {} }));
    await expect(evaluateCer(otherParameters, { ...options, protocols })).resolves.toMatchObject({
      code: 'SCHEMA_ERROR',
    });
  });

  it('lets requests ask for it', async () => {
    const request = executionRequest({ protocolVersion: '1.4.0' });
    expect(executionRequestFaults(request)).toEqual(['protocolVersion: must be one of 1.2.0, 1.3.0, 1.3.1']);
    expect(executionRequestFaults(request, protocols)).toEqual([]);
    const sealed = sealExecution(request, {
      createdAt: TEST_TIME,
      timestamp: null,
      executionId: 'x',
      saltsFor: (id) => deriveSalts(new Uint8Array(32), 't', id),
      protocols,
    });
    expect(sealed.bundle).toMatchObject({ snapshot: { protocolVersion: '1.4.0' } });
  });

  it('needs no other source to name a version', () => {
    const sources = join(__dirname, '../src');
    const naming = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing'))
      .filter((file) => /['"`]1\.\d\.\d['"`]/.test(readFileSync(join(sources, file), 'utf8')));
    expect(naming.map((file) => relative('.', file))).toEqual(['protocols/protocols.ts']);
  });
});
