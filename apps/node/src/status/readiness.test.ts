import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { SignerAwayError } from '../signing/key-holder.js';
import { createReadiness } from './readiness.js';

const never = (): Promise<void> => new Promise(() => undefined);

describe('the reasons of readiness', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are empty while every check passes', async () => {
    await expect(createReadiness({ store: async () => undefined })()).resolves.toEqual([]);
  });

  it('quote only public error messages', async () => {
    const ready = createReadiness({
      store: () => Promise.reject(new Error('postgres://canary')),
      signer: () => Promise.reject(new SignerAwayError('the token is away')),
    });
    await expect(ready()).resolves.toEqual(['store: is not available', 'signer: the token is away']);
  });

  it('include a check that hangs', async () => {
    const ready = createReadiness({ store: never, signer: async () => undefined }, 10);
    await expect(ready()).resolves.toEqual(['store: is not available']);
    await expect(ready()).resolves.toEqual(['store: is not available']);
  });

  it('are answered before probes give up, after 3 s', async () => {
    jest.useFakeTimers();
    let reasons: readonly string[] = [];
    void createReadiness({ store: never })().then((found) => (reasons = found));
    await jest.advanceTimersByTimeAsync(2900);
    expect(reasons).toEqual(['store: is not available']);
  });

  it('are shared by concurrent requests only', async () => {
    let checked = 0;
    let pass = (): void => undefined;
    const ready = createReadiness({
      signer: () => {
        checked += 1;
        return new Promise((resolve) => (pass = resolve));
      },
    });
    const first = [ready(), ready(), ready()];
    pass();
    await expect(Promise.all(first)).resolves.toEqual([[], [], []]);
    expect(checked).toBe(1);
    const later = ready();
    pass();
    await expect(later).resolves.toEqual([]);
    expect(checked).toBe(2);
  });
});
