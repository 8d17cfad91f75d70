import { createHash } from 'node:crypto';
import type { TestDatabase } from '@cer/sql-store/testing';
import type { Role } from '../../src/account/role.js';
import type { OpenedStore, Store, Tenant, User } from '../../src/store/index.js';

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the parts of the store's contract share: an open store, and the clock that it reads. */
export interface StoreUnderTest {
  readonly database: TestDatabase;
  readonly opened: OpenedStore;
  readonly store: Store;
  readonly now: () => Date;
  readonly newTenant: () => Promise<Tenant>;
  readonly newUser: (tenantId: string, role?: Role) => Promise<User>;
}
