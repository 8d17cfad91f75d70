import { inspect } from 'node:util';
import { postgresTestDatabase } from '@cer/sql-store/testing';
import { describe, expect, it } from '@jest/globals';
import { openStore } from '../../src/store/index.js';
import { storeContract } from './store.contract.js';

describe('the store on PostgreSQL', () => {
  storeContract(postgresTestDatabase);

  it('fails without naming server or user', async () => {
    const databaseUrl = 'postgres://user:canary@127.0.0.1:1/canary';
    const error: unknown = await openStore({ databaseUrl }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(inspect(error, { showHidden: true })).not.toContain('canary');
  });
});
