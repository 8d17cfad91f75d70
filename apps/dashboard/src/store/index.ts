export { openStore, type OpenedStore } from './open-store.js';
export * from './ports/index.js';
export type * from './store.js';
