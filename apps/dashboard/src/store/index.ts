export { openStore, type OpenedStore, type StoreOptions } from './open-store.js';
export * from './ports.js';
export type * from './sign-in-ports.js';
export type * from './store.js';
