import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { Store } from '../../src/store/index.js';
import { newProject } from './new-project.js';
import { hashOf, newRecord } from './new-record.js';

/** Contract of legal holds. `another` opens the same database again. */
export function legalHoldContract(opened: () => { readonly store: Store; another(): Promise<Store> }): void {
  describe('legal holds', () => {
    it('protect a record under either hash until released', async () => {
      const { records, legalHolds } = opened().store;
      const resealedCertificateHash = hashOf(randomUUID());
      const record = newRecord({ resealedCertificateHash });
      await records.recordOnce(record);
      for (const held of [record.certificateHash, resealedCertificateHash]) {
        expect(await legalHolds.place('records', held, null)).toBe(1);
        expect(await legalHolds.place('records', held, null)).toBe(1);
        for (const hash of [record.certificateHash, resealedCertificateHash]) {
          expect(await legalHolds.held('records', hash, null)).toBe(1);
          expect(await records.setVisibility(hash, 'deleted')).toBe(0);
        }
        expect(await records.setVisibility(record.certificateHash, 'hidden')).toBe(1);
        expect(await records.setVisibility(record.certificateHash, 'visible')).toBe(1);
        expect(await legalHolds.release(held, null)).toBe(1);
        expect(await legalHolds.release(held, null)).toBe(0);
      }
      expect(await legalHolds.held('records', record.certificateHash, null)).toBe(0);
      expect(await records.setVisibility(record.certificateHash, 'deleted')).toBe(1);
    });

    it('of one tenant do not affect others', async () => {
      const { records, legalHolds } = opened().store;
      const first = newRecord();
      const second = newRecord({ tenantId: 'tenant-b', executionId: first.executionId });
      const hash = first.certificateHash;
      for (const record of [first, second]) await records.recordOnce(record);
      expect(await legalHolds.place('records', hash, 'tenant-b')).toBe(1);
      expect([
        await legalHolds.held('records', hash, 'tenant-a'),
        await legalHolds.held('records', hash, null),
      ]).toEqual([0, 1]);
      expect(await records.setVisibility(hash, 'deleted', 'tenant-b')).toBe(0);
      expect(await records.setVisibility(hash, 'deleted')).toBe(1);
      expect(await records.findByHash(hash)).toMatchObject({ tenantId: 'tenant-b' });
      expect(await legalHolds.place('records', hash, null)).toBe(1);
      expect(await legalHolds.release(hash, 'tenant-b')).toBe(1);
      expect(await records.setVisibility(hash, 'deleted', 'tenant-b')).toBe(0);
      expect(await legalHolds.release(hash, null)).toBe(1);
      expect(await records.setVisibility(hash, 'deleted', 'tenant-b')).toBe(1);
    });

    it('require an existing item', async () => {
      const { records, legalHolds } = opened().store;
      const record = newRecord();
      const hash = record.certificateHash;
      await records.recordOnce(record);
      expect(await legalHolds.place('records', hashOf('never'), null)).toBe(0);
      expect(await legalHolds.place('records', hash, 'tenant-b')).toBe(0);
      expect(await legalHolds.place('projects', hash, null)).toBe(0);
      expect(await legalHolds.place('records', hash, 'nul \0')).toBe(0);
      expect(await records.setVisibility(hash, 'deleted')).toBe(1);
      expect(await legalHolds.place('records', hash, null)).toBe(0);
      expect(await legalHolds.release(hash, null)).toBe(0);
    });

    it('protect projects and whole tenants from either source', async () => {
      const { records, projects, legalHolds, tenantSettings } = opened().store;
      const tenantId = randomUUID();
      const project = newProject({ tenantId });
      const record = newRecord({ tenantId });
      await projects.registerOnce(project);
      await records.recordOnce(record);
      const deleted = async (): Promise<number[]> => [
        await projects.setVisibility(project.projectHash, 'deleted', tenantId),
        await records.setVisibility(record.certificateHash, 'deleted'),
      ];
      expect(await legalHolds.place('projects', project.projectHash, tenantId)).toBe(1);
      expect(await projects.setVisibility(project.projectHash, 'deleted')).toBe(0);
      expect(await legalHolds.release(project.projectHash, tenantId)).toBe(1);
      for (const source of ['node', 'control-plane'] as const) {
        await tenantSettings.set(tenantId, source, { legalHold: true });
        expect(await deleted()).toEqual([0, 0]);
        expect([
          await legalHolds.held('projects', project.projectHash, null),
          await legalHolds.held('records', record.certificateHash, tenantId),
        ]).toEqual([1, 1]);
        await tenantSettings.set(tenantId, source, { legalHold: false });
      }
      expect(await deleted()).toEqual([1, 1]);
    });

    it('are never missed by a concurrent deletion', async () => {
      const database = opened();
      const { store } = database;
      const other = await database.another();
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const record = newRecord();
          await store.records.recordOnce(record);
          const hold = (): Promise<number> => store.legalHolds.place('records', record.certificateHash, null);
          const remove = (): Promise<number> => other.records.setVisibility(record.certificateHash, 'deleted');
          const [first, second] = await Promise.all(index % 2 === 0 ? [hold(), remove()] : [remove(), hold()]);
          const [held, deleted] = index % 2 === 0 ? [first, second] : [second, first];
          const kept = await store.records.findByHash(record.certificateHash);
          return `held ${held}, deleted ${deleted}, ${kept === null ? 'gone' : 'kept'}`;
        }),
      );
      await other.close();
      const consistent = ['held 1, deleted 0, kept', 'held 0, deleted 1, gone'];
      expect(outcomes.filter((outcome) => !consistent.includes(outcome))).toEqual([]);
    });
  });
}
