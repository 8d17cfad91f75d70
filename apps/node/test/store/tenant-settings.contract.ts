import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { StatedSettings, Store } from '../../src/store/index.js';

const STATED: StatedSettings = {
  publishJson: '{"prompt":true}',
  retentionDays: 30,
  visibility: 'hidden',
  legalHold: true,
};

/** Contract of tenant settings from an administrator and the control plane. */
export function tenantSettingsContract(opened: () => Store): void {
  describe('settings of tenants', () => {
    it('are empty at first and separate per source', async () => {
      const { tenantSettings } = opened();
      const tenantId = randomUUID();
      expect(await tenantSettings.find(tenantId)).toEqual({ node: null, 'control-plane': null });
      await tenantSettings.set(tenantId, 'control-plane', STATED);
      await tenantSettings.set(tenantId, 'node', { visibility: 'public' });
      expect(await tenantSettings.find(tenantId)).toEqual({
        node: { publishJson: null, retentionDays: null, visibility: 'public', legalHold: false },
        'control-plane': STATED,
      });
    });

    it('merge concurrent changes of different members', async () => {
      const { tenantSettings } = opened();
      const tenantId = randomUUID();
      const { publishJson, retentionDays, visibility, legalHold } = STATED;
      await Promise.all(
        [{ publishJson }, { retentionDays }, { visibility }, { legalHold }].map((change) =>
          tenantSettings.set(tenantId, 'node', change),
        ),
      );
      expect((await tenantSettings.find(tenantId)).node).toEqual(STATED);
      await tenantSettings.set(tenantId, 'node', { retentionDays: null, legalHold: false });
      expect((await tenantSettings.find(tenantId)).node).toEqual({ ...STATED, retentionDays: null, legalHold: false });
    });

    it('list tenants with a retention period in pages', async () => {
      const { tenantSettings } = opened();
      const [first, second, without] = ['a', 'b', 'c'].map((name) => `~${name} ${randomUUID()}`);
      for (const tenantId of [first, second, without]) {
        await tenantSettings.set(tenantId ?? '', 'node', { retentionDays: tenantId === without ? null : 1 });
      }
      await tenantSettings.set(first ?? '', 'control-plane', STATED);
      expect(await tenantSettings.withRetention('~', 1)).toEqual([first]);
      expect(await tenantSettings.withRetention(first ?? '', 9)).toEqual([second]);
    });

    it('identify known tenants', async () => {
      const { tenantSettings, tenants } = opened();
      const { tenantId } = await tenants.createTenant(randomUUID());
      const stranger = randomUUID();
      expect([await tenantSettings.knows(tenantId), await tenantSettings.knows(stranger)]).toEqual([true, false]);
      await tenantSettings.set(stranger, 'control-plane', STATED);
      expect([await tenantSettings.knows(stranger), await tenantSettings.knows('nul \0')]).toEqual([true, false]);
    });
  });
}
