export { migrate, openStore, type StoreOptions } from './open-store.js';
export type * from './ports.js';
export type * from './rate-port.js';
export type * from './record-list-port.js';
export type * from './record-scan-port.js';
export type * from './signing-key-port.js';
export type * from './stamp-port.js';
export type * from './tenant-settings-port.js';
export { StoreBusyError, StoreError, type StoreErrorCode } from './store-error.js';
