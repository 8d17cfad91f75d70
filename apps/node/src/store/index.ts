export type * from './ports.js';
export { StoreBusyError, StoreError, type StoreErrorCode } from './store-error.js';
