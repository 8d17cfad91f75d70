import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import { afterEach, expect, it } from '@jest/globals';
import { createLogger } from '@cer/http-service/process';

import { startWorkers } from '../../src/cores/workers.js';

afterEach(() => {
  for (const { process: child } of started) child.kill('SIGKILL');
});

let started: readonly Worker[] = [];

it('waits for every worker when one cannot be reached', async () => {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'silent-worker.mjs') });
  const lost: Error[] = [];
  const node = await startWorkers({
    size: 2,
    logger: createLogger({ service: 'node', level: 'silent' }),
    onLost: (error) => lost.push(error),
  });
  started = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const [unreachable, draining] = started;
  if (unreachable === undefined || draining === undefined) throw new Error('two workers were started');
  const end = async (worker: Worker): Promise<void> => {
    const ended = once(worker.process, 'exit');
    worker.process.kill('SIGUSR2');
    await ended;
  };

  const disconnected = started.map((worker) => once(worker, 'disconnect'));
  let outcome = 'closing';
  const closing = node.close().then(
    () => (outcome = 'closed'),
    (error: unknown) => (outcome = String(error)),
  );
  await Promise.all(disconnected);
  const failed = once(unreachable.process, 'error');
  unreachable.send({});
  await failed;
  await end(unreachable);
  await turn();
  expect(outcome).toBe('closing');

  await end(draining);
  expect(await closing).toBe('closed');
  expect(lost).toEqual([]);
});
