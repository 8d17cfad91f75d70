export { openStore, type OpenedStore, type StoreOptions } from './open-store.js';
export * from './ports.js';
