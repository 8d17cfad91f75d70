import { expect, it } from '@jest/globals';
import { recordedLog } from '../testing/index.js';
import { outageLog } from './outage-log.js';

it('logs the start, each other reason, and the end of an outage', () => {
  const { logger, lines } = recordedLog();
  const outage = outageLog(logger, { level: 'warn', failed: 'not written', succeeded: 'written again', worker: 'a' });
  const fails = (message: string): void => {
    outage.failed(Object.assign(new Error(message), { forOperator: true }));
  };
  outage.succeeded();
  for (let at = 0; at < 3; at += 1) fails('full');
  fails('read-only');
  for (let at = 0; at < 2; at += 1) outage.succeeded();
  fails('full');
  const logged = lines.map((line): unknown => JSON.parse(line));
  expect(logged).toMatchObject([
    { level: 'warn', msg: 'not written', worker: 'a', err: { message: 'full' } },
    { level: 'warn', msg: 'not written', worker: 'a', err: { message: 'read-only' } },
    { level: 'info', msg: 'written again', worker: 'a' },
    { level: 'warn', msg: 'not written', worker: 'a', err: { message: 'full' } },
  ]);
});
