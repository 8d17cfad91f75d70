export { openStore, type StoreOptions } from './open-store.js';
export type * from './ports.js';
