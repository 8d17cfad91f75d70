/**
 * The control plane's store, with methods named by purpose. One contract suite runs on SQLite and on PostgreSQL. Every
 * method may throw a StoreError; a promise of a write resolves only when the write, and its entry in the audit trail,
 * are durable.
 */
export type * from './accounts.js';
export type * from './acts.js';
export * from './keys.js';
export type * from './sessions.js';
export type * from './shares.js';
export type * from './sign-in.js';
export type * from './usage.js';
