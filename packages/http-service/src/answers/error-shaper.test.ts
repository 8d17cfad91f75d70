import { describe, expect, it } from '@jest/globals';
import { createErrorShaper } from './error-shaper.js';
import { silentLogger } from '../telemetry/logger.js';
import { HTTP_STATUS, ServiceError, validationError } from '../errors/service-error.js';
import { recordedLog } from '../testing/index.js';

const bodyOf = (body: unknown): unknown => JSON.parse(String(body));

describe('error shaping', () => {
  it('answers a refusal with its status, details and headers', () => {
    const statusOf = { ...HTTP_STATUS, INVALID_BUNDLE: 400 };
    const shape = createErrorShaper({ logger: silentLogger(), statusOf });
    const mismatches = [{ field: 'inputHash' }];
    const members = { mismatches, error: 'other', requestId: 'other' };
    const thrown = new ServiceError({
      code: 'INVALID_BUNDLE',
      message: 'm',
      details: ['d'],
      members,
      headers: { 'retry-after': '1' },
    });
    const answer = shape(thrown, 'id');
    expect(answer.status).toBe(400);
    expect(answer.headers['retry-after']).toBe('1');
    expect(bodyOf(answer.body)).toEqual({
      error: 'INVALID_BUNDLE',
      message: 'm',
      details: ['d'],
      mismatches,
      requestId: 'id',
    });
  });

  it('joins validation details into the message', () => {
    const shape = createErrorShaper({ logger: silentLogger() });
    expect(bodyOf(shape(validationError(['a: is required', 'b: must be a string']), 'id').body)).toEqual({
      error: 'VALIDATION_ERROR',
      message: 'a: is required;b: must be a string',
      details: ['a: is required', 'b: must be a string'],
      requestId: 'id',
    });
  });

  it('shows characters that hide or reorder text by number', () => {
    const shape = createErrorShaper({ logger: silentLogger() });
    const details = ['"\u202egnp\u200b": is unknown', '"\x1b[2J": is unknown'];
    const shown = ['"\\u{202e}gnp\\u{200b}": is unknown', '"\\u{1b}[2J": is unknown'];
    expect(bodyOf(shape(validationError(details), 'id').body)).toMatchObject({
      details: shown,
      message: shown.join(';'),
    });
    const message = 'a\u2066b';
    expect(bodyOf(shape(new ServiceError({ code: 'FORBIDDEN', message }), 'id').body)).toMatchObject({
      message: 'a\\u{2066}b',
    });
  });

  it.each([
    ['an error', new Error('leaky-value')],
    ['a string', 'leaky-value'],
    ['nothing', undefined],
    ['a refusal with an unknown code', new ServiceError({ code: 'constructor' })],
  ])('answers 500 without echoing %s and logs it once', (_name, thrown) => {
    const { logger, lines } = recordedLog();
    const answer = createErrorShaper({ logger })(thrown, 'id-1');
    expect(answer.status).toBe(500);
    expect(bodyOf(answer.body)).toEqual({ error: 'INTERNAL_ERROR', requestId: 'id-1' });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines.join(''))).toMatchObject({ level: 'error', requestId: 'id-1' });
    expect(lines.join('')).not.toContain('leaky-value');
  });

  it.each([
    [500, 'error'],
    [503, 'warn'],
    [501, 'warn'],
  ])('logs a refusal with %d as %s, with its cause', (status, level) => {
    const { logger, lines } = recordedLog();
    const shape = createErrorShaper({ logger, statusOf: { BROKEN: status } });
    const cause = Object.assign(new Error('leaky-value'), { code: 'ENOSPC' });
    const message = 'there is no room';
    expect(shape(new ServiceError({ code: 'BROKEN', message }, { cause }), 'id-1').status).toBe(status);
    const logged: unknown = JSON.parse(lines.join(''));
    expect(logged).toMatchObject({ level, code: 'BROKEN', reason: message, err: { code: 'ENOSPC' } });
  });

  it('translates domain errors and keeps another body shape', () => {
    const shape = createErrorShaper({
      logger: silentLogger(),
      translate: (error) =>
        error instanceof RangeError ? new ServiceError({ code: 'FORBIDDEN', message: 'No' }) : undefined,
      presentError: ({ message, code }) => ({ error: message ?? code }),
    });
    const answer = shape(new RangeError('x'), 'id');
    expect([answer.status, bodyOf(answer.body)]).toEqual([403, { error: 'No' }]);
  });
});
