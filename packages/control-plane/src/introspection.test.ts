import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { keyIntrospection, sessionIntrospection } from './introspection.js';

const Answer = keyIntrospection(z.object({ retentionDays: z.int() }).optional());
const ACCOUNT = {
  ...{ tenantName: 'Acme', accountStatus: 'active', plan: 'Small', entitlements: { bridge: true } },
  limits: { requestsPerMinute: 60, executionsPerMonth: null },
};
const KEY = { active: true, tenantId: 'tenant-1', keyId: 'key-1', scopes: ['certify'], ...ACCOUNT };

describe('the answer about a key', () => {
  it('has the account and the settings that the reader uses', () => {
    const settings = { retentionDays: 7 };
    const given = { ...KEY, settings: { ...settings, laterRelease: true }, laterRelease: true };
    expect(Answer.parse(given)).toEqual({ ...KEY, settings });
  });

  it.each([
    ['no limits', undefined],
    ['no members', {}],
  ])('is without limits when it has %s', (_name, limits) => {
    expect(Answer.parse({ ...KEY, limits })).toEqual({
      ...KEY,
      limits: { requestsPerMinute: null, executionsPerMonth: null },
    });
  });

  it('may be that there is none', () => {
    expect(Answer.parse({ active: false })).toEqual({ active: false });
    expect(Answer.safeParse({ active: true }).success).toBe(false);
  });

  it('describes the account of an inactive key', () => {
    const suspended = { ...KEY, active: false, accountStatus: 'suspended' };
    expect(Answer.parse(suspended)).toEqual(suspended);
  });

  it.each([
    ['tenant', { tenantId: '' }],
    ['scopes', { scopes: 'certify' }],
    ['limit', { limits: { requestsPerMinute: -1 } }],
    ['setting', { settings: { retentionDays: 'all' } }],
    ['entitlements', { entitlements: {} }],
  ])('is refused with an odd %s', (_name, odd) => {
    expect(Answer.safeParse(KEY).success).toBe(true);
    expect(Answer.safeParse({ ...KEY, ...odd }).success).toBe(false);
  });
});

it('the answer about a session names its user', () => {
  const Session = sessionIntrospection(z.unknown().optional());
  const session = { active: true, user: { id: 'u', email: 'a@example.org', name: 'Ada' }, ...ACCOUNT };
  expect(Session.parse(session)).toEqual(session);
  expect(Session.safeParse({ ...session, user: { id: '' } }).success).toBe(false);
});
