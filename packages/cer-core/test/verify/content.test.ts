import type { CanonicalizationProfile } from '@cer/canonical-json';
import { parseKeySet } from '@cer/keys';
import { describe, expect, it } from '@jest/globals';
import { CerError } from '../../src/index.js';
import { PROTOCOLS, protocolRegistry } from '../../src/protocols/protocols.js';
import { evaluateCer } from '../../src/verify.js';
import { checkContent } from '../../src/verify/check-content.js';
import { failWith } from '../../src/verify/layer.js';
import { committedCase } from '../vectors/committed.js';
import * as forge from '../vectors/forge.js';

const HASHED = ['bundleType', 'version', 'createdAt', 'snapshot'];
const TOOL = { toolId: 'a tool', at: forge.TIME, output: 'x', outputHash: forge.hashText('y') };
const sealed = forge.seal(forge.v1());
const deep = (levels: number): forge.Json => (levels === 0 ? 1 : { a: deep(levels - 1) });
const codesOf = (bundle: forge.JsonObject): readonly string[] =>
  checkContent(bundle).findings.map(({ code, member }) => `${code} ${member}`);

describe('the content of a bundle', () => {
  it('is hashed as the text that is signed', () => {
    const projection = forge.pick(sealed, HASHED);
    const { subject, findings, hashed } = checkContent(sealed);
    expect(findings).toEqual([]);
    expect(subject.protocol?.version).toBe('1.2.0');
    expect(hashed).toEqual({ projection, canonical: forge.canonical(projection) });
  });

  it('is not hashed where it has no canonical form', () => {
    const { findings, hashed } = checkContent(forge.seal(forge.v1({ protocolVersion: '1.3.0', note: '\ud800' })));
    expect(findings.map(({ code }) => code)).toEqual(['CANONICALIZATION_ERROR']);
    expect(hashed).toBeNull();
  });

  it('is not read below 160 levels', () => {
    const { findings, hashed } = checkContent({ ...sealed, deep: deep(160) });
    expect(findings).toEqual([{ code: 'SCHEMA_ERROR', member: '', detail: 'nested deeper than 160 levels' }]);
    expect(hashed).toBeNull();
    expect(checkContent({ ...sealed, deep: deep(100) }).findings).toEqual([]);
    for (const hashedMember of ['snapshot', 'context']) {
      const bundle = { ...sealed, [hashedMember]: { ...forge.object(sealed['snapshot']), deep: deep(159) } };
      expect(checkContent(bundle)).toMatchObject({ findings, hashed: null });
    }
    expect(checkContent({ ...sealed, deep: deep(159) }).findings).toEqual([]);
    expect(codesOf({ ...sealed, context: deep(159) })).toEqual(['CERTIFICATE_HASH_MISMATCH certificateHash']);
  });

  it('has one finding for a value without canonical form', () => {
    const lone = forge.v1({ protocolVersion: '1.3.0', toolCalls: [{ ...TOOL, output: '\ud800' }] });
    const findings = codesOf(forge.seal(lone));
    expect(findings.filter((each) => each.startsWith('CANONICALIZATION_ERROR'))).toHaveLength(1);
    const input = codesOf(forge.seal(forge.v1({ protocolVersion: '1.3.0', input: '\ud800' })));
    expect(input.filter((each) => each.startsWith('CANONICALIZATION_ERROR'))).toHaveLength(1);
    const inner = codesOf(forge.seal(forge.v1({ protocolVersion: '1.3.0', input: { a: '\ud800' } })));
    expect(inner).toEqual(['CANONICALIZATION_ERROR snapshot.input.a', 'CANONICALIZATION_ERROR snapshot.input']);
  });

  it('shows no hashes of values before its form is right', () => {
    const wrong = forge.v1({ toolCalls: [TOOL] });
    expect(codesOf(forge.seal(wrong))).toEqual(['TOOL_OUTPUT_HASH_MISMATCH snapshot.toolCalls[0].outputHash']);
    expect(codesOf(forge.seal({ ...wrong, version: '9' }))).toEqual(['SCHEMA_ERROR version']);
    const other = forge.v1({ input: 'another' });
    expect(codesOf(forge.seal(other))).toEqual(['INPUT_HASH_MISMATCH snapshot.inputHash']);
    expect(codesOf(forge.seal({ ...other, version: '9' }))).toEqual(['SCHEMA_ERROR version']);
  });

  it('misses no evidence of tools before its form is right', () => {
    const bundle = forge.object(JSON.parse(committedCase('tools-evidence-missing').bundle) as forge.Json);
    expect(codesOf(bundle)).toEqual(['TOOL_EVIDENCE_MISSING snapshot.toolCalls[1]']);
    const codes = codesOf({ ...bundle, version: '9' });
    expect(codes[0]).toBe('SCHEMA_ERROR version');
    expect(codes.join()).not.toContain('TOOL_EVIDENCE_MISSING');
  });

  it('needs its snapshot members', () => {
    const { findings } = checkContent(forge.seal(forge.change(forge.v1(), 'snapshot.provider', undefined)));
    expect(findings).toContainEqual({
      code: 'PROTECTED_FIELD_MISSING',
      member: 'snapshot.provider',
      detail: 'is required',
    });
  });

  it('allows any unhashed name beside a flat record only', () => {
    const flat = forge.flatRender({ bundleType: 'legacy' });
    expect(checkContent({ ...flat, 'a\u0001': 1 }).findings).toEqual([]);
    expect(codesOf(forge.seal(forge.v1({ 'a\u0001': 1 })))[0]).toContain('SCHEMA_KEY_INVALID snapshot');
  });

  it('names the attestation that is not an object', async () => {
    const receipt = { a: 1 };
    const findings = async (bundle: unknown): Promise<readonly string[]> => {
      const { integrity } = await evaluateCer(bundle, { verifiedAt: forge.TIME });
      return integrity.status === 'FAIL' ? integrity.findings.map(({ member, detail }) => `${member} ${detail}`) : [];
    };
    expect(await findings({ ...sealed, receipt, attestation: 'text' })).toEqual(['attestation must be an object']);
    expect(await findings({ cer: sealed, receipt, attestation: 'text' })).toEqual([
      'package.attestation must be an object',
    ]);
  });
});

describe('a canonical form that fails otherwise', () => {
  it.each<readonly [string, Error]>([
    ['of JavaScript', new TypeError('a fault')],
    ['with another code', new CerError('SCHEMA_ERROR', '', 'a fault')],
  ])('is an unknown error: one %s', async (_name, error) => {
    const [row] = PROTOCOLS.values();
    if (row === undefined) throw new Error('no protocol');
    const profile: CanonicalizationProfile = {
      ...row.profile,
      canonicalize: () => {
        throw error;
      },
    };
    const protocols = protocolRegistry([{ ...row, profile }]);
    const keySet = parseKeySet(forge.keySet());
    expect(await evaluateCer(sealed, { keySet, protocols, verifiedAt: forge.TIME })).toMatchObject({
      code: 'UNKNOWN_ERROR',
    });
  });
});

it('a failed layer is described by its first finding', () => {
  const finding = { code: 'SCHEMA_ERROR', detail: 'is wrong' } as const;
  expect(failWith({ ...finding, member: 'a member' })).toMatchObject({ detail: 'a member: is wrong' });
  expect(failWith({ ...finding, member: '' })).toMatchObject({ detail: 'is wrong' });
});
