import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { Store } from '../../src/store/index.js';
import { hashOf } from './new-record.js';

/** Contract of tenants and API keys. */
export function tenantContract(opened: () => Store): void {
  describe('tenants and API keys', () => {
    it('creates one tenant per name under concurrency', async () => {
      const { tenants } = opened();
      const name = `tenant ${randomUUID()}`;
      expect(await tenants.findTenant(name)).toBeNull();
      const made = await Promise.all(Array.from({ length: 10 }, () => tenants.createTenant(name)));
      expect(new Set(made.map(({ tenantId }) => tenantId)).size).toBe(1);
      expect(await tenants.findTenant(name)).toEqual(made[0]);
    });

    it('finds a key by its hash, with its tenant and scopes', async () => {
      const { tenants } = opened();
      const { tenantId, name } = await tenants.createTenant(`tenant ${randomUUID()}`);
      const keyHash = hashOf(randomUUID());
      const key = await tenants.createApiKey({
        tenantId,
        keyHash,
        prefix: 'cer_live_ab',
        scopes: ['certify', 'render'],
      });
      expect(key).toMatchObject({ tenantId, tenantName: name, scopes: ['certify', 'render'], active: true });
      expect(await tenants.findApiKey(keyHash)).toEqual(key);
      expect(await tenants.findApiKey(hashOf(randomUUID()))).toBeNull();
      expect(JSON.stringify(key)).not.toContain(keyHash);
    });

    it('lists a tenant’s keys including revoked ones', async () => {
      const { tenants } = opened();
      const { tenantId } = await tenants.createTenant(`tenant ${randomUUID()}`);
      const keyHashes = ['first', 'second'].map((key) => hashOf(key + tenantId));
      for (const keyHash of keyHashes) await tenants.createApiKey({ tenantId, keyHash, prefix: 'p', scopes: [] });
      const [first, second] = await tenants.listApiKeys(tenantId);

      expect(await tenants.revokeApiKey(first?.keyId ?? '')).toBe(true);
      expect(await tenants.revokeApiKey(first?.keyId ?? '')).toBe(false);
      expect(await tenants.findApiKey(keyHashes[0] ?? '')).toEqual({ ...first, active: false });
      expect(await tenants.findApiKey(keyHashes[1] ?? '')).toEqual(second);
    });

    it('rejects unknown tenants and duplicate hashes', async () => {
      const { tenants } = opened();
      const { tenantId } = await tenants.createTenant(`tenant ${randomUUID()}`);
      const key = { tenantId, keyHash: hashOf(randomUUID()), prefix: 'p', scopes: [] };
      await tenants.createApiKey(key);
      for (const refused of [key, { ...key, tenantId: 'nobody', keyHash: hashOf('nobody') }]) {
        await expect(tenants.createApiKey(refused)).rejects.toMatchObject({ code: 'STORE_ROW_REFUSED' });
      }
    });
  });
}
