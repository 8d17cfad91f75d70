import { ConfigError } from '@cer/http-service/config';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.js';

const GOOD = {
  DATABASE_URL: 'sqlite:/data/dashboard.db',
  PUBLIC_URL: 'https://dashboard.example',
  SERVICE_TOKEN_FILE: '/run/token',
  JWKS_KEYS_FILE: '/data/jwks.json',
};

function faultsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
}

describe('the configuration', () => {
  it('has defaults for all but addresses', () => {
    expect(readConfig(GOOD)).toMatchObject({
      port: 4400,
      host: '127.0.0.1',
      bridgeUrl: undefined,
      sessionTimes: { idleMs: 3_600_000, absoluteMs: 43_200_000 },
    });
  });

  it('takes a provider whole, and keeps one way to sign in', () => {
    const oidc = { OIDC_ISSUER: 'https://idp.example/tenant', OIDC_CLIENT_ID: 'dashboard', OIDC_TENANT: 'Acme' };
    const secret = { OIDC_CLIENT_SECRET: 'a long enough secret' };
    expect(readConfig({ ...GOOD, ...oidc, ...secret, OIDC_OWNER_VALUES: 'a, b,' }).oidcSettings).toMatchObject({
      issuer: 'https://idp.example/tenant',
      roles: { claim: 'groups', values: { owner: ['a', 'b'], member: [], reviewer: [], auditor: [] } },
    });
    expect(faultsOf({ ...GOOD, ...oidc })).toEqual(['OIDC_CLIENT_SECRET: is required']);
    expect(faultsOf({ ...GOOD, PASSWORD_SIGN_IN: '0' })).toEqual(['OIDC_ISSUER: is required']);
    expect(faultsOf({ ...GOOD, ...oidc, ...secret, OIDC_ISSUER: 'http://idp.example' })).toHaveLength(1);
  });

  it('reports every fault without values', () => {
    const faults = faultsOf({ DATABASE_URL: 'mysql://canary', PUBLIC_URL: 'canary', PORT: 'canary' });
    expect(faults.map((line) => line.split(':')[0]).sort()).toEqual([
      'DATABASE_URL',
      'JWKS_KEYS_FILE',
      'PORT',
      'PUBLIC_URL',
      'SERVICE_TOKEN_FILE',
    ]);
    expect(faults.join()).not.toContain('canary');
  });

  it.each([
    'http://dashboard.example',
    'https://dashboard.example/path',
    'https://dashboard.example?x',
    'ftp://localhost',
  ])('refuses an origin unsafe for session cookies: %s', (PUBLIC_URL) => {
    expect(faultsOf({ ...GOOD, PUBLIC_URL })).toHaveLength(1);
  });

  it.each(['http://localhost:4400', 'http://127.0.0.1:4400', 'https://dashboard.example:8443'])(
    'takes %s',
    (PUBLIC_URL) => {
      expect(readConfig({ ...GOOD, PUBLIC_URL }).publicUrl).toBe(PUBLIC_URL);
    },
  );

  it.each(['sqlite:', 'sqlite::memory:', 'mysql://h/d'])(
    'refuses a database that is not durable: %s',
    (DATABASE_URL) => {
      expect(faultsOf({ ...GOOD, DATABASE_URL })).toHaveLength(1);
    },
  );
});
