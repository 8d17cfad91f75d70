import { openDatabase, type Database } from '@cer/sql-store';
import { appendAct, listActs, listActsAfter } from './account-acts.js';
import { SqlApiKeyStore } from './api-keys.js';
import { SqlAuthenticatorStore } from './authenticators.js';
import { MIGRATIONS } from './migrations.js';
import { SqlLinkStore } from './one-time-links.js';
import { SqlPasskeyStore } from './passkeys.js';
import { SqlReaderKeyStore } from './reader-keys.js';
import { SqlSessionStore } from './sessions.js';
import { SqlShareStore } from './shares.js';
import { SqlSignInStore } from './sign-in-ways.js';
import type { Store } from './store.js';
import { sweepExpired } from './sweep.js';
import { SqlTenantStore } from './tenants.js';
import { useChallenge, useForm } from './used-challenges.js';
import { SqlUsageStore } from './usage.js';
import { SqlUserStore } from './users.js';

export interface StoreOptions {
  /** `sqlite:PATH`, the file made when there is none, or `postgres://...`. */
  readonly databaseUrl: string;
  readonly now?: () => Date;
}

/** A store and the database behind it, which the login limits share. */
export interface OpenedStore {
  readonly store: Store;
  readonly database: Database;
}

/**
 * Opens the control plane's store and brings its schema up to date.
 * @throws StoreError STORE_URL_INVALID, STORE_UNAVAILABLE, STORE_SCHEMA_TOO_NEW
 */
export async function openStore({ databaseUrl, now = () => new Date() }: StoreOptions): Promise<OpenedStore> {
  const { database, schemaVersion } = await openDatabase(databaseUrl, MIGRATIONS);
  return { store: storeOn(database, schemaVersion, now), database };
}

function storeOn(database: Database, schemaVersion: number, now: () => Date): Store {
  return {
    tenants: new SqlTenantStore(database, now),
    users: new SqlUserStore(database, now),
    links: new SqlLinkStore(database, now),
    sessions: new SqlSessionStore(database, now),
    authenticators: new SqlAuthenticatorStore(database, now),
    passkeys: new SqlPasskeyStore(database, now),
    signInWays: new SqlSignInStore(database, now),
    apiKeys: new SqlApiKeyStore(database, now),
    readerKeys: new SqlReaderKeyStore(database),
    shares: new SqlShareStore(database, now),
    usage: new SqlUsageStore(database, now),
    note: (tenantId, act, subject, actor) =>
      database.run((db) => appendAct(db, { tenantId, act, subject, actor, at: now() })),
    noteOnce: (form, tenantId, act, subject, actor) =>
      database.transaction(async (db) => {
        if (await useChallenge(db, form)) await appendAct(db, { tenantId, act, subject, actor, at: now() });
      }),
    useForm: (form) => database.transaction((db) => useForm(db, form)),
    acts: (tenantId, limit) => database.run((db) => listActs(db, tenantId, limit)),
    actsAfter: (tenantId, seq, limit) => database.run((db) => listActsAfter(db, tenantId, seq, limit, now())),
    schemaVersion,
    ping: () => database.ping(),
    proveWritable: () => database.proveWritable(),
    sweep: () => sweepExpired(database, now()),
    close: () => database.close(),
  };
}
