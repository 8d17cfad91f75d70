import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DAY_MS, hashOf, MINUTE_MS, type StoreUnderTest } from './store-under-test.js';

/** Contract of shared links. */
export function sharesContract(on: () => StoreUnderTest): void {
  describe('shared links', () => {
    const newShare = async (tenantId: string, target = '', expiresAt = new Date(on().now().getTime() + DAY_MS)) => {
      const { store } = on();
      const tokenHash = hashOf(randomUUID());
      const share = await store.shares.create({ tenantId, tokenHash, kind: 'set', target, expiresAt }, 'test');
      return { tokenHash, share };
    };

    it('are found by their hash, counted and revoked', async () => {
      const { store, now, newTenant } = on();
      const tenant = await newTenant();
      const { tenantId } = tenant;
      const { tokenHash, share } = await newShare(tenantId, 'model=a');
      expect(share).toEqual({
        ...{ shareId: share.shareId, tenantId, kind: 'set', target: 'model=a', createdBy: 'test', opens: 0 },
        ...{ createdAt: now().toISOString(), expiresAt: new Date(now().getTime() + DAY_MS).toISOString() },
        ...{ revokedAt: null, lastOpenedAt: null },
      });
      const later = await newShare(tenantId);
      await Promise.all([1, 2, 3].map(() => store.shares.countOpen(share.shareId)));
      const opened = { ...share, opens: 3, lastOpenedAt: now().toISOString() };
      expect(await store.shares.findByHash(tokenHash)).toEqual({ share: opened, tenant });
      expect(await store.shares.list(tenantId, null, 50)).toEqual([later.share, opened]);
      expect(await store.shares.findByHash(hashOf('none'))).toBeNull();
      await expect(
        store.shares.create({ tenantId, tokenHash, kind: 'set', target: '', expiresAt: now() }, 'test'),
      ).rejects.toMatchObject({ code: 'STORE_ROW_REFUSED' });
      const { tenantId: other } = await newTenant();
      expect(await store.shares.revoke(other, share.shareId, 'test')).toBe(false);
      expect(await store.shares.revoke(tenantId, share.shareId, 'test')).toBe(true);
      expect(await store.shares.revoke(tenantId, share.shareId, 'test')).toBe(false);
      expect((await store.shares.findByHash(tokenHash))?.share.revokedAt).toBe(now().toISOString());
      expect((await store.acts(tenantId, 3)).map(({ act, subject }) => [act, subject])).toEqual([
        ['shared link revoked', 'model=a'],
        ['link shared', 'all'],
        ['link shared', 'model=a'],
      ]);
    });

    it('are swept three months after their end', async () => {
      const { store, now, newTenant } = on();
      const { tenantId } = await newTenant();
      const listed = await newShare(tenantId, '', new Date(now().getTime() - 90 * DAY_MS + MINUTE_MS));
      const swept = await newShare(tenantId, '', new Date(now().getTime() - 90 * DAY_MS - MINUTE_MS));
      await store.sweep();
      expect(await store.shares.findByHash(listed.tokenHash)).not.toBeNull();
      expect(await store.shares.findByHash(swept.tokenHash)).toBeNull();
    });
  });
}
