import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { apiKeyPrefix, generateApiKey, hashApiKey, isApiKey, isScope } from './api-key.js';

const KEY = `cer_live_${'aZ09-_'.repeat(7)}x`;

describe('API keys', () => {
  it('are new each time and have their own form', () => {
    const [one, other] = [generateApiKey(), generateApiKey()];
    expect([isApiKey(one), isApiKey(other), one === other]).toEqual([true, true, false]);
  });

  it.each([
    ['one character less', KEY.slice(0, -1)],
    ['one character more', `${KEY}x`],
    ['a line end', `${KEY}\n`],
    ['another prefix', KEY.replace('live', 'test')],
    ['a character outside base64url', `${KEY.slice(0, -1)}+`],
    ['nothing', ''],
  ])('have not the form of %s', (_name, text) => {
    expect([isApiKey(KEY), isApiKey(text)]).toEqual([true, false]);
  });

  it('are stored as their SHA-256 and shown by six characters', () => {
    expect(hashApiKey(KEY)).toBe(createHash('sha256').update(KEY).digest('hex'));
    expect(apiKeyPrefix(KEY)).toBe('cer_live_aZ09-_');
  });

  it('have known scopes only', () => {
    expect([isScope('audit'), isScope('Audit'), isScope('')]).toEqual([true, false, false]);
  });
});
