import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import {
  absolutePath,
  flag,
  host,
  loadConfig,
  logLevel,
  milliseconds,
  minutes,
  port,
  positiveInteger,
  secret,
  serviceUrl,
  trustedProxies,
  wholeNumber,
  type Environment,
} from './config.js';
import { ConfigError } from './config-error.js';

const schema = z
  .object({
    PORT: port(4100),
    HOST: host(),
    LOG_LEVEL: logLevel(),
    QUEUE_LENGTH: positiveInteger(256),
    RETRIES: wholeNumber(0, 9).default(3),
    ANSWER_TIMEOUT_MS: milliseconds(10_000),
    SESSION_MINUTES: minutes(60),
    TLS: flag(false),
    ADMIN_SECRET: secret(8),
    DATA_FOLDER: absolutePath().optional(),
    DASHBOARD_URL: serviceUrl().optional(),
    TRUST_PROXY: trustedProxies(),
  })
  .transform(({ PORT, ADMIN_SECRET, ...rest }) => ({ port: PORT, adminSecret: ADMIN_SECRET, ...rest }));

const linesOf = (env: Environment): readonly string[] => {
  try {
    loadConfig(schema, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
};

describe('configuration', () => {
  it('has safe defaults, hides secrets and is frozen', () => {
    const config = loadConfig(schema, { ADMIN_SECRET: 'long enough', HOST: '', PATH: '/bin' });
    expect(config).toMatchObject({
      port: 4100,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      QUEUE_LENGTH: 256,
      RETRIES: 3,
      TLS: false,
    });
    expect(config.adminSecret.reveal()).toBe('long enough');
    expect(JSON.stringify(config)).not.toContain('long enough');
    expect(Object.isFrozen(config)).toBe(true);
    expect(config).not.toHaveProperty('PATH');
  });

  it('reads any variable from its _FILE', () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    try {
      const path = join(folder, 'secret');
      writeFileSync(path, 'from a file\n', { mode: 0o640 });
      expect(loadConfig(schema, { ADMIN_SECRET_FILE: path }).adminSecret.reveal()).toBe('from a file');
      expect(linesOf({ ADMIN_SECRET_FILE: path, ADMIN_SECRET: 'long enough' })).toEqual([
        'ADMIN_SECRET, ADMIN_SECRET_FILE: set only one of them',
      ]);
      chmodSync(path, 0o644);
      expect(linesOf({ ADMIN_SECRET_FILE: path, PORT_FILE: join(folder, 'none') })).toEqual([
        `PORT_FILE: secret file ${join(folder, 'none')} cannot be opened: it does not exist. Make it, or correct the path`,
        `ADMIN_SECRET_FILE: secret file ${path} is open to every user: chmod 600 it`,
      ]);
      // The file of a required variable is one fault, beside those of other variables.
      expect(linesOf({ ADMIN_SECRET_FILE: path, LOG_LEVEL: 'loud' })).toEqual([
        `ADMIN_SECRET_FILE: secret file ${path} is open to every user: chmod 600 it`,
        expect.stringMatching(/^LOG_LEVEL: must be /),
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['pässword that is long', ' long enough', 'long enough ', 'long\tenough', 'long enough\n'])(
    'refuses a secret that headers would alter: %j',
    (ADMIN_SECRET) => {
      expect(linesOf({ ADMIN_SECRET })).toEqual([
        expect.stringMatching(/^ADMIN_SECRET: must have printable ASCII characters only/),
      ]);
    },
  );

  it('reads the variables that are set', () => {
    const config = loadConfig(schema, {
      PORT: '0',
      LOG_LEVEL: 'warn',
      TLS: '1',
      ADMIN_SECRET: 'long enough',
      DATA_FOLDER: '/data',
      DASHBOARD_URL: 'https://a.example/base/',
      TRUST_PROXY: '10.0.0.0/8',
    });
    expect(config).toMatchObject({
      port: 0,
      LOG_LEVEL: 'warn',
      TLS: true,
      DATA_FOLDER: '/data',
      DASHBOARD_URL: 'https://a.example/base',
    });
    expect(config.TRUST_PROXY?.check('10.1.1.1', 'ipv4')).toBe(true);
  });

  it('takes the longest times that timers and dates can hold, and no longer ones', () => {
    const longest = { ADMIN_SECRET: 'long enough', ANSWER_TIMEOUT_MS: '2147483647', SESSION_MINUTES: '525600' };
    expect(loadConfig(schema, longest)).toMatchObject({ ANSWER_TIMEOUT_MS: 2_147_483_647, SESSION_MINUTES: 525_600 });
    expect(linesOf({ ...longest, ANSWER_TIMEOUT_MS: '2147483648', SESSION_MINUTES: '525601' })).toEqual([
      'ANSWER_TIMEOUT_MS: must be a whole number, 1 to 2147483647',
      'SESSION_MINUTES: must be a whole number, 1 to 525600',
    ]);
  });

  it('reports all bad variables without their values', () => {
    const lines = linesOf({
      PORT: '70000',
      LOG_LEVEL: 'loud',
      QUEUE_LENGTH: '1e3',
      RETRIES: '10',
      TLS: 'yes',
      ADMIN_SECRET: 'leaked',
      DATA_FOLDER: 'leaked/folder',
      DASHBOARD_URL: 'https://leaked:pw@a.example',
      TRUST_PROXY: 'leaked',
    });
    expect(lines).toEqual([
      'PORT: must be a whole number, 0 to 65535',
      'LOG_LEVEL: must be "trace" or "debug" or "info" or "warn" or "error" or "fatal" or "silent"',
      'QUEUE_LENGTH: must be a whole number, 1 or more',
      'RETRIES: must be a whole number, 0 to 9',
      'TLS: must be "0" or "1"',
      'ADMIN_SECRET: must have at least 8 characters',
      'DATA_FOLDER: must be an absolute path',
      'DASHBOARD_URL: must be an http or https URL without credentials, query or fragment',
      'TRUST_PROXY: must be IP addresses or CIDR ranges separated by commas',
    ]);
    expect(linesOf({})).toEqual(['ADMIN_SECRET: is required']);
  });

  it.each(['-1', '1.5', ' 1', '0x10', '', '99999999999999999'])('refuses %j as a port', (text) => {
    const lines = linesOf({ PORT: text, ADMIN_SECRET: 'long enough' });
    expect(lines).toEqual(text === '' ? [] : ['PORT: must be a whole number, 0 to 65535']);
  });

  it.each(['ftp://a.example', 'a.example', 'https://a.example?q', 'https://a.example/#f'])(
    'refuses %s as a service URL',
    (text) => {
      expect(linesOf({ DASHBOARD_URL: text, ADMIN_SECRET: 'long enough' })).toHaveLength(1);
    },
  );
});
