export { migrate, openStore, type StoreOptions } from './open-store.js';
export type * from './ports.js';
export { StoreBusyError, StoreError, type StoreErrorCode } from './store-error.js';
