import { once } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@cer/http-service/process';
import { ConfinementError } from './browser/browser-host.js';
import { JailUnavailable } from './browser/jail.js';
import { LaunchError } from './browser/launch.js';
import { BrowserNotFound } from './browser/resolve.js';
import { keepStarting, type KeptStarting } from './keep-starting.js';
import { SelfTestFailure } from './sandbox/self-test.js';

interface Fake {
  readonly name: string;
  close(): Promise<void>;
}

describe('starting until it runs', () => {
  let lines: string[];
  let closed: string[];
  /** Ends of the pauses that began. */
  let pauses: (() => void)[];
  beforeEach(() => {
    [lines, closed, pauses] = [[], [], []];
  });

  const fake = (name: string): Fake => ({
    name,
    close: async () => {
      closed.push(name);
    },
  });
  const keep = (...results: readonly (Error | Promise<Fake>)[]): Promise<KeptStarting<Fake>> => {
    const left = [...results];
    return keepStarting(
      async () => {
        const result = left.shift() ?? new Error('started too often');
        if (result instanceof Error) throw result;
        return result;
      },
      {
        logger: createLogger({ service: 'test', level: 'info', stream: { write: (line) => lines.push(line) } }),
        pause: (signal) =>
          Promise.race([once(signal, 'abort'), new Promise<void>((resolve) => void pauses.push(resolve))]),
      },
    );
  };
  /** Lets everything run that waits for no pause. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('reports the error of each attempt until one succeeds', async () => {
    const kept = await keep(new LaunchError('too slow'), new LaunchError('again'), Promise.resolve(fake('third')));
    expect([kept.current(), pauses.length]).toEqual(['too slow', 1]);
    pauses[0]?.();
    await settled();
    expect([kept.current(), pauses.length]).toEqual(['again', 2]);
    pauses[1]?.();
    await settled();
    expect(kept.current()).toMatchObject({ name: 'third' });
    expect(lines.map((line) => (JSON.parse(line) as { reason: string }).reason)).toEqual(['too slow', 'again']);
    await kept.close();
    expect([closed, pauses.length]).toEqual([['third'], 2]);
  });

  it.each([BrowserNotFound, JailUnavailable, ConfinementError, SelfTestFailure])('tries %p once', async (kind) => {
    const kept = await keep(new kind('refused'));
    expect([kept.current(), pauses.length]).toEqual(['refused', 0]);
    await kept.close();
    expect(closed).toEqual([]);
  });

  it('ends its pause when it is closed', async () => {
    const kept = await keep(new LaunchError('too slow'));
    await kept.close();
    expect([kept.current(), lines.length, pauses.length]).toEqual(['too slow', 1, 1]);
  });

  it('closes what starts while it is being closed', async () => {
    let finish = (_started: Fake): void => undefined;
    const starting = new Promise<Fake>((resolve) => {
      finish = resolve;
    });
    const kept = await keep(new LaunchError('too slow'), starting);
    pauses[0]?.();
    await settled();
    const closing = kept.close();
    finish(fake('late'));
    await closing;
    expect(closed).toEqual(['late']);
  });
});
