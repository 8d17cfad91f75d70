import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';
import { Secret } from '../config/secret.js';
import { OperatorError } from '../errors/operator-error.js';
import { ServiceError } from '../errors/service-error.js';
import { recordedLog } from '../testing/index.js';

describe('the log', () => {
  it('redacts secret members at any depth', () => {
    const { logger, lines } = recordedLog();
    const secrets = {
      authorization: 'hidden',
      cookie: 'hidden',
      apiKey: 'hidden',
      input: { deep: 'hidden' },
      'x-admin-secret': 'hidden',
    };
    logger.info(
      { ...secrets, first: secrets, a: { b: [{ c: secrets, APIKEY: 'hidden' }] }, kept: new Secret('hidden') },
      'message',
    );
    expect(lines.join('')).not.toContain('hidden');
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 'info',
      service: 'test',
      apiKey: '[redacted]',
      kept: '[secret]',
    });
  });

  it('hides an object that is too deep', () => {
    const { logger, lines } = recordedLog();
    const endless: Record<string, unknown> = { name: 'hidden' };
    endless['self'] = { a: { b: { c: { d: { e: endless } } } } };
    logger.info({ kept: 'shown', deep: { a: endless['self'] } }, 'message');
    expect(lines.join('')).toContain('shown');
    expect(lines.join('')).not.toContain('hidden');
  });

  it('has the stack of an error, not its message', () => {
    const { logger, lines } = recordedLog();
    const cause = Object.assign(new Error('insert hidden\n    at hidden (hidden:1:1)'), {
      code: 'SQLITE_FULL',
      syscall: 'write',
    });
    logger.error({ err: new TypeError('bad hidden', { cause }) });
    expect(lines.join('')).not.toContain('hidden');
    expect(JSON.parse(lines.join(''))).toMatchObject({
      err: {
        type: 'TypeError',
        frames: expect.arrayContaining([expect.stringContaining('logger.test')]),
        cause: { code: 'SQLITE_FULL', syscall: 'write' },
      },
    });
  });

  it('shows the messages of refusals', () => {
    const { logger, lines } = recordedLog();
    logger.warn({ err: new ServiceError({ code: 'FORBIDDEN', message: 'scope: must include certify' }) });
    expect(lines.join('')).toContain('scope: must include certify');
  });

  it('shows messages for operators only, causes included', () => {
    class DiskFull extends OperatorError {}
    const { logger, lines } = recordedLog();
    logger.error({ err: new TypeError('hidden', { cause: new DiskFull('the disk is full') }) }, 'failed');
    const [line = ''] = lines;
    expect(line).not.toContain('hidden');
    expect(JSON.parse(line)).toMatchObject({ err: { cause: { message: 'the disk is full' } } });
  });

  it('shows messages of packages that mark their own errors', () => {
    const { logger, lines } = recordedLog();
    logger.error({ err: Object.assign(new Error('the token is absent'), { forOperator: true }) }, 'failed');
    expect(lines.join('')).toContain('the token is absent');
  });

  it('has no stack of an error whose message explains it', () => {
    const { logger, lines } = recordedLog();
    const full = Object.assign(new Error('the disk is full'), { forOperator: true, isExplained: true });
    logger.error({ err: new TypeError('hidden', { cause: full }) }, 'failed');
    const logged: unknown = JSON.parse(lines.join(''));
    expect(logged).toMatchObject({ err: { frames: expect.anything(), cause: { message: 'the disk is full' } } });
    expect(logged).not.toHaveProperty('err.cause.frames');
  });

  it('survives endless causes and values that are not errors', () => {
    const { logger, lines } = recordedLog();
    const endless = new Error('a');
    endless.cause = endless;
    logger.error({ err: endless });
    logger.error({ err: 'hidden' });
    logger.error({ err: null });
    logger.error(new Error('hidden'));
    expect(lines).toHaveLength(4);
    expect(lines.join('')).not.toContain('hidden');
  });

  it('writes nothing below its level', () => {
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    createLogger({ service: 'test', level: 'warn', stream }).info('message');
    expect(lines).toEqual([]);
  });
});
