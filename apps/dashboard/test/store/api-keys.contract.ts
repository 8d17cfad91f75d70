import { describe, expect, it } from '@jest/globals';
import { issueApiKey } from '../../src/account/api-key.js';
import { DAY_MS, hashOf, type StoreUnderTest } from './store-under-test.js';

/** Contract of API keys. */
export function apiKeysContract(on: () => StoreUnderTest): void {
  describe('API keys', () => {
    it('are found by hash with their tenant, and listed newest first', async () => {
      const { store, newTenant } = on();
      const tenant = await newTenant();
      const { tenantId } = tenant;
      const [first, second] = [issueApiKey(), issueApiKey()];
      const made = await store.apiKeys.create(
        { tenantId, name: 'one', scopes: ['certify', 'ingest'], ...first },
        'test',
      );
      await store.apiKeys.create({ tenantId, name: 'two', scopes: [], ...second }, 'test');
      expect(await store.apiKeys.findByHash(first.keyHash)).toEqual({ key: made, tenant });
      expect(made).toMatchObject({
        name: 'one',
        scopes: ['certify', 'ingest'],
        prefix: first.prefix,
        lastUsedAt: null,
      });
      expect((await store.apiKeys.list(tenantId, null, 50)).map(({ name }) => name)).toEqual(['two', 'one']);
      expect(await store.apiKeys.findByHash(hashOf('other'))).toBeNull();
      await expect(
        store.apiKeys.create({ tenantId, name: 'again', scopes: [], ...first }, 'test'),
      ).rejects.toMatchObject({
        code: 'STORE_ROW_REFUSED',
      });
    });

    it('are found by id, in their account alone', async () => {
      const { store, newTenant } = on();
      const [mine, other] = [await newTenant(), await newTenant()];
      const made = await store.apiKeys.create(
        { tenantId: mine.tenantId, name: 'k', scopes: ['render'], ...issueApiKey() },
        'test',
      );
      expect(await store.apiKeys.find(mine.tenantId, made.keyId)).toEqual(made);
      expect(await store.apiKeys.find(other.tenantId, made.keyId)).toBeNull();
      expect(await store.apiKeys.find(mine.tenantId, 'unknown')).toBeNull();
    });

    it('have one successor under concurrent rotation', async () => {
      const { store, now, newTenant } = on();
      const { tenantId } = await newTenant();
      const { keyId } = await store.apiKeys.create(
        { tenantId, name: 'k', scopes: ['render'], ...issueApiKey() },
        'test',
      );
      const made = await Promise.all(
        [1, 2, 3].map(() =>
          store.apiKeys.rotate(tenantId, keyId, issueApiKey(), new Date(now().getTime() + DAY_MS), 'test'),
        ),
      );
      expect(made.filter((key) => key !== null)).toEqual([expect.objectContaining({ name: 'k', scopes: ['render'] })]);
      expect(await store.apiKeys.list(tenantId, null, 50)).toHaveLength(2);
    });

    it('keep the latest use in any order of writes', async () => {
      const { store, now, newTenant } = on();
      const { tenantId } = await newTenant();
      const { keyId } = await store.apiKeys.create({ tenantId, name: 'k', scopes: [], ...issueApiKey() }, 'test');
      const [early, late] = [new Date(now().getTime() + 1), new Date(now().getTime() + 2)];
      await store.apiKeys.markUsed(new Map([[keyId, late]]));
      await store.apiKeys.markUsed(new Map([[keyId, early]]));
      await store.apiKeys.markUsed(new Map());
      expect((await store.apiKeys.list(tenantId, null, 50))[0]?.lastUsedAt).toBe(late.toISOString());
    });
  });
}
