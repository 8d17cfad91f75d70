import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, hash as hashOf } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { openFileSpool } from '../spool/file-spool.js';
import type { Platform, Scope } from './platform.js';

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
  sha256Of: (bytes) => hashOf('sha256', bytes),
  createScope: <T>(): Scope<T> => {
    const storage = new AsyncLocalStorage<T>();
    return { current: () => storage.getStore(), run: <R>(value: T, work: () => R): R => storage.run(value, work) };
  },
  environment: process.env,
  spoolDir: '.cer-spool',
  openFileSpool,
  turn: () => setImmediate(),
  unref: (timer) => {
    timer.unref();
  },
  warn: (message) => {
    process.emitWarning(message, 'CerWarning');
  },
};
