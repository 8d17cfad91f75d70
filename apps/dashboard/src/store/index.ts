export { openStore, type OpenedStore, type StoreOptions } from './open-store.js';
export * from './ports/index.js';
export type * from './store.js';
