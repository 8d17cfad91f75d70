export { openStore, type OpenedStore, type StoreOptions } from './open-store.js';
export { StoreError } from './store-error.js';
export type { Database } from './database.js';
export * from './ports.js';
