import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { openFileSpool } from '../spool/file-spool.js';
import type { Platform } from './platform.js';

export const platform: Platform = {
  sha256: () => {
    const hash = createHash('sha256');
    return {
      update: (bytes) => {
        hash.update(bytes);
      },
      hex: () => hash.digest('hex'),
    };
  },
  createScope: () => {
    const storage = new AsyncLocalStorage<true>();
    return { isInside: () => storage.getStore() === true, inside: (work) => storage.run(true, work) };
  },
  environment: process.env,
  spoolDir: '.cer-spool',
  openFileSpool,
  unref: (timer) => {
    timer.unref();
  },
};
