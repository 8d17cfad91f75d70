import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { platform } from './browser.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a turn of the event loop in browsers', () => {
  it('needs no timer, which browsers delay', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await platform.turn();
    expect(timers).not.toHaveBeenCalled();
  });

  it('lets other work of the program run first', async () => {
    const order: string[] = [];
    const turn = platform.turn().then(() => order.push('turn'));
    for (let task = 0; task < 10; task += 1) await Promise.resolve();
    order.push('tasks');
    await turn;
    expect(order).toEqual(['tasks', 'turn']);
  });

  it('is taken by a timer without message channels', async () => {
    const { MessageChannel: own } = globalThis;
    Reflect.deleteProperty(globalThis, 'MessageChannel');
    try {
      await expect(platform.turn()).resolves.toBeUndefined();
    } finally {
      Object.defineProperty(globalThis, 'MessageChannel', { value: own, configurable: true, writable: true });
    }
  });
});
