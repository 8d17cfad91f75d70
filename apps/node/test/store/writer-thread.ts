import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { StoreOptions } from '../../src/store/index.js';

/** A thread that runs from the sources. */
export const WRITER_THREAD: NonNullable<StoreOptions['writerThread']> = {
  execArgv: ['--import', pathToFileURL(join(__dirname, '../register-typescript.mjs')).href],
};

/** Either way of writing to SQLite, as options of a store. */
export const WAYS_OF_WRITING: readonly (readonly [string, Pick<StoreOptions, 'writerThread'>])[] = [
  ['on the event loop', {}],
  ['in a thread', { writerThread: WRITER_THREAD }],
];
