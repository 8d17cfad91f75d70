import { describe, expect, it } from '@jest/globals';

import { SignerAwayError } from '../signing/key-holder.js';
import { createReadiness } from './readiness.js';

const never = (): Promise<void> => new Promise(() => undefined);

describe('what keeps a node from being ready', () => {
  it('is nothing while every check passes', async () => {
    await expect(createReadiness({ store: async () => undefined })()).resolves.toEqual([]);
  });

  it('is named without what the error says, but for words made for everybody', async () => {
    const ready = createReadiness({
      store: () => Promise.reject(new Error('postgres://canary')),
      signer: () => Promise.reject(new SignerAwayError('the token is away')),
    });
    await expect(ready()).resolves.toEqual(['store: is not available', 'signer: the token is away']);
  });

  it('is told in time when a check hangs, as with a database that takes connections and answers nothing', async () => {
    const ready = createReadiness({ store: never, signer: async () => undefined }, 10);
    await expect(ready()).resolves.toEqual(['store: is not available']);
    await expect(ready()).resolves.toEqual(['store: is not available']);
  });

  it('is found out once for all who ask at the same time, and anew for those who come later', async () => {
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
