import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jcsV1 } from '../profiles.js';
import { computeCommitment, deriveSalts, openCommitment, SALT_BYTES } from './commit.js';
import { formatOpenings } from './openings.js';
import { isSealedValue, sealedValue } from './sealed-value.js';

const secret = Uint8Array.from({ length: 32 }, (_, index) => index);
const hmac = (key: Uint8Array, message: string): Buffer => createHmac('sha256', key).update(message, 'utf8').digest();
const salts = deriveSalts(secret, 'tenant-é', 'exec-1');

describe('salts', () => {
  it('are HMACs over tenant, execution and field', () => {
    expect(Buffer.from(salts.input)).toEqual(hmac(secret, '["svc.commitment.v1","tenant-é","exec-1","input"]'));
    expect(Buffer.from(salts.output)).toEqual(hmac(secret, '["svc.commitment.v1","tenant-é","exec-1","output"]'));
    expect(salts.input).toHaveLength(SALT_BYTES);
  });

  it('depend on secret, tenant, execution and field only', () => {
    const all = [
      deriveSalts(secret, 'tenant-é', 'exec-1'),
      deriveSalts(secret, 'tenant-é', 'exec-2'),
      deriveSalts(secret, 'tenant-e', 'exec-1'),
      deriveSalts(new Uint8Array(32), 'tenant-é', 'exec-1'),
      // The parts are kept apart, so moving a character from one to the other is another salt.
      deriveSalts(secret, 'tenant-éexec', '-1'),
    ].flatMap(({ input, output }) => [input, output].map((salt) => Buffer.from(salt).toString('hex')));
    expect(new Set(all).size).toBe(10);
    expect(deriveSalts(secret, 'tenant-é', 'exec-1')).toEqual(salts);
  });
});

describe('commitments', () => {
  it('are HMACs over the bytes that are hashed', () => {
    expect(computeCommitment('What?', salts.input, jcsV1, 'input')).toBe(
      `sha256:${hmac(salts.input, 'What?').toString('hex')}`,
    );
    expect(computeCommitment({ b: 1, a: 'é' }, salts.input, jcsV1, 'input')).toBe(
      `sha256:${hmac(salts.input, '{"a":"é","b":1}').toString('hex')}`,
    );
  });

  it('open for the raw value and its salt only', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, other) => {
        const sealed = sealedValue(computeCommitment(text, salts.input, jcsV1, 'input'));
        expect(openCommitment(sealed, salts.input, { type: 'text', text })).toBe(true);
        expect(openCommitment(sealed, salts.output, { type: 'text', text })).toBe(false);
        expect(openCommitment(sealed, salts.input, { type: 'text', text: other })).toBe(other === text);
      }),
    );
  });

  it('reveal one field only', () => {
    const output = sealedValue(computeCommitment('yes', salts.output, jcsV1, 'output'));
    // A holder of the input's opening cannot test guesses about the output.
    expect(openCommitment(output, salts.input, { type: 'text', text: 'yes' })).toBe(false);
    expect(openCommitment(output, salts.output, { type: 'text', text: 'yes' })).toBe(true);
  });

  it('do not distinguish the text {} from the object', () => {
    const asText = sealedValue(computeCommitment('{}', salts.input, jcsV1, 'input'));
    const asJson = sealedValue(computeCommitment({}, salts.input, jcsV1, 'input'));
    expect(asText).toEqual(asJson);
    expect(openCommitment(asJson, salts.input, { type: 'json', value: {} })).toBe(true);
    expect(openCommitment(asText, salts.input, { type: 'json', value: '{}' })).toBe(true);
    expect(openCommitment(asText, salts.input, { type: 'text', text: '{ }' })).toBe(false);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['another scheme', { ...sealedValue('sha256:00'), scheme: 'hmac-md5' }],
    ['a further member', { ...sealedValue(computeCommitment('a', salts.input, jcsV1, 'input')), salt: 'x' }],
    ['an array', []],
  ])('do not open over %s', (_, sealed) => {
    expect(isSealedValue(sealed)).toBe(false);
    expect(openCommitment(sealed, salts.input, { type: 'text', text: 'a' })).toBe(false);
  });

  it('do not open with a salt of another length', () => {
    // HMAC pads a short key with zeros: 31 bytes and the same with a zero appended are the same key.
    const zeroEnded = Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? 0 : 7));
    const sealed = sealedValue(computeCommitment('a', zeroEnded, jcsV1, 'input'));
    expect(openCommitment(sealed, zeroEnded, { type: 'text', text: 'a' })).toBe(true);
    expect(openCommitment(sealed, zeroEnded.slice(0, 31), { type: 'text', text: 'a' })).toBe(false);
  });

  it('refuse to open over ill-formed text', () => {
    const sealed = sealedValue(computeCommitment('a', salts.input, jcsV1, 'input'));
    expect(() => openCommitment(sealed, salts.input, { type: 'text', text: '\ud800' })).toThrow(
      expect.objectContaining({ code: 'CANONICALIZATION_ERROR' }),
    );
  });
});

describe('openings', () => {
  it('are the salts in base64url', () => {
    expect(formatOpenings(salts)).toEqual({
      input: { salt: Buffer.from(salts.input).toString('base64url') },
      output: { salt: Buffer.from(salts.output).toString('base64url') },
    });
  });
});
