import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { NewRecord, Store } from '../../src/store/index.js';
import { newProject } from './new-project.js';
import { hashOf, hashOnlyRecord, newRecord } from './new-record.js';

/** Contract of visibility. */
export function visibilityContract(opened: () => Store): void {
  describe('looking up', () => {
    it('returns the earliest visible full record', async () => {
      const { records } = opened();
      const first = newRecord({ tenantId: 'tenant-z' });
      const second = newRecord({ tenantId: 'tenant-a', executionId: first.executionId });
      await records.recordOnce(first);
      await records.recordOnce(second);
      expect(await records.findByHash(first.certificateHash)).toMatchObject({ tenantId: 'tenant-z' });

      await records.setVisibility(first.certificateHash, 'hidden', 'tenant-z');
      expect(await records.findByHash(first.certificateHash)).toMatchObject({ tenantId: 'tenant-a' });
    });

    it('prefers a full record to a hash-only one', async () => {
      const { records } = opened();
      const full = newRecord({ tenantId: 'tenant-late' });
      const hashOnly = hashOnlyRecord({ certificateHash: full.certificateHash });
      await records.recordOnce(hashOnly);
      expect(await records.findByHash(full.certificateHash)).toMatchObject({ kind: 'hash-only' });
      await records.recordOnce(full);
      expect(await records.findByHash(full.certificateHash)).toMatchObject({ kind: 'full' });
    });

    it('finds a reseal under its own hash', async () => {
      const { records } = opened();
      const resealedCertificateHash = hashOf(randomUUID());
      const record = newRecord({ resealedCertificateHash, publicCerJson: '{}' });
      await records.recordOnce(hashOnlyRecord({ certificateHash: resealedCertificateHash }));
      await records.recordOnce(record);
      for (const hash of [record.certificateHash, resealedCertificateHash]) {
        expect(await records.findByHash(hash)).toMatchObject({ attestationId: record.attestationId });
      }
    });

    it('finds visible records by executionId, earliest first', async () => {
      const { records } = opened();
      const executionId = randomUUID();
      const tenants = ['tenant-3', 'tenant-1', 'tenant-2', 'tenant-4'];
      for (const tenantId of tenants) {
        await records.recordOnce(newRecord({ tenantId, executionId, content: tenantId + executionId }));
      }
      await records.setVisibility(hashOf(`tenant-1${executionId}`), 'hidden');
      const found = await records.findByExecutionId(executionId, { limit: 2 });
      expect(found.map(({ tenantId }) => tenantId)).toEqual(['tenant-3', 'tenant-2']);

      const own = await records.findByExecutionId(executionId, { tenantId: 'tenant-1', limit: 2 });
      expect(own).toMatchObject([{ tenantId: 'tenant-1', visibility: 'hidden' }]);
    });

    it('returns the visibility of full records of a tenant', async () => {
      const { records } = opened();
      const tenantId = randomUUID();
      const held = Array.from({ length: 230 }, () => newRecord({ tenantId }));
      await Promise.all(held.map((record) => records.recordOnce(record)));
      const hashOnly = hashOnlyRecord({ tenantId });
      const foreign = newRecord();
      await records.recordOnce(hashOnly);
      await records.recordOnce(foreign);
      const hashes = held.map(({ certificateHash }) => certificateHash);
      await records.setVisibility(hashes[0] ?? '', 'hidden');
      await records.setVisibility(hashes[1] ?? '', 'deleted');

      const found = await records.visibilityOfFullRecords(tenantId, [
        ...hashes,
        hashOnly.certificateHash,
        foreign.certificateHash,
      ]);
      expect([...found.keys()].toSorted()).toEqual(hashes.toSorted());
      expect([...hashes.slice(0, 3)].map((hash) => found.get(hash))).toEqual(['hidden', 'deleted', 'visible']);
      expect((await records.visibilityOfFullRecords(tenantId, [])).size).toBe(0);
    });
  });

  describe('hiding and deleting', () => {
    it('hides new records and projects as the settings say', async () => {
      const { records, projects, tenantSettings } = opened();
      const tenantId = randomUUID();
      await tenantSettings.set(tenantId, 'node', { visibility: 'hidden' });
      for (const record of [newRecord({ tenantId }), hashOnlyRecord({ tenantId })]) {
        expect(await records.recordOnce(record)).toEqual({ recorded: true });
        expect(await records.findByHash(record.certificateHash)).toBeNull();
        const own = await records.findOwnByHash(tenantId, record.certificateHash, record.kind);
        expect(own).toMatchObject({ visibility: 'hidden' });
        expect(await records.setVisibility(record.certificateHash, 'visible')).toBe(1);
        expect(await records.findByHash(record.certificateHash)).not.toBeNull();
      }
      const project = newProject({ tenantId });
      await projects.registerOnce(project);
      expect(await projects.findByHash(project.projectHash)).toBeNull();
      expect(await projects.findOwnByHash(tenantId, project.projectHash)).toEqual(project);
    });

    it.each([
      { node: null, controlPlane: null, first: 'visible' },
      { node: null, controlPlane: 'hidden', first: 'hidden' },
      { node: 'public', controlPlane: 'hidden', first: 'visible' },
      { node: 'hidden', controlPlane: 'public', first: 'hidden' },
    ] as const)('lets the administrator decide before the control plane: $node, $controlPlane', async (stated) => {
      const { records, tenantSettings } = opened();
      const tenantId = randomUUID();
      await tenantSettings.set(tenantId, 'node', { visibility: stated.node });
      await tenantSettings.set(tenantId, 'control-plane', { visibility: stated.controlPlane });
      const record = newRecord({ tenantId });
      await records.recordOnce(record);
      expect(await records.findOwnByHash(tenantId, record.certificateHash, 'full')).toMatchObject({
        visibility: stated.first,
      });
    });

    it('hides every record that is stored after the setting', async () => {
      const { records, tenantSettings } = opened();
      const tenantId = randomUUID();
      let isSet = false;
      const late: NewRecord[] = [];
      const storing = async (): Promise<void> => {
        for (let round = 0; round < 20; round += 1) {
          const record = newRecord({ tenantId });
          if (isSet) late.push(record);
          await records.recordOnce(record);
        }
      };
      const writers = Promise.all([storing(), storing(), storing(), storing()]);
      await tenantSettings.set(tenantId, 'node', { visibility: 'hidden' });
      isSet = true;
      await writers;
      await storing();
      expect(late.length).toBeGreaterThan(0);
      for (const { certificateHash } of late) expect(await records.findByHash(certificateHash)).toBeNull();
    });

    it('hides from the public and unhides', async () => {
      const { records } = opened();
      const record = newRecord();
      await records.recordOnce(record);
      expect(await records.setVisibility(record.certificateHash, 'hidden')).toBe(1);
      expect(await records.findByHash(record.certificateHash)).toBeNull();
      expect(await records.findByExecutionId(record.executionId ?? '', { limit: 1 })).toEqual([]);
      expect(await records.findOwnByHash('tenant-a', record.certificateHash, 'full')).toMatchObject({
        visibility: 'hidden',
      });
      expect(await records.setVisibility(record.certificateHash, 'hidden')).toBe(0);
      expect(await records.setVisibility(record.certificateHash, 'visible')).toBe(1);
      expect(await records.findByHash(record.certificateHash)).not.toBeNull();
    });

    it('can act on one tenant and on a reseal hash', async () => {
      const { records } = opened();
      const resealedCertificateHash = hashOf(randomUUID());
      const first = newRecord({ resealedCertificateHash });
      const second = newRecord({ tenantId: 'tenant-b', executionId: first.executionId, resealedCertificateHash });
      await records.recordOnce(first);
      await records.recordOnce(second);
      expect(await records.setVisibility(resealedCertificateHash, 'hidden', 'tenant-a')).toBe(1);
      expect(await records.findByHash(first.certificateHash)).toMatchObject({ tenantId: 'tenant-b' });
    });

    it('erases a record and keeps its execution', async () => {
      const { records } = opened();
      const record = newRecord();
      await records.recordOnce(record);
      expect(await records.setVisibility(record.certificateHash, 'deleted')).toBe(1);
      expect(await records.setVisibility(record.certificateHash, 'visible')).toBe(0);

      expect(await records.findByHash(record.certificateHash)).toBeNull();
      expect(await records.findOwnByHash('tenant-a', record.certificateHash, 'full')).toBeNull();
      expect(await records.findByExecutionId(record.executionId ?? '', { tenantId: 'tenant-a', limit: 1 })).toEqual([]);
      const kept = { certificateHash: record.certificateHash, timestamp: record.timestamp };
      expect(await records.findExecution('tenant-a', record.executionId ?? '')).toMatchObject({
        execution: kept,
        record: null,
      });
      expect(await records.recordOnce(newRecord({ executionId: record.executionId }))).toMatchObject({
        recorded: false,
        existing: kept,
        record: null,
      });
    });

    it('does not record a deleted hash-only record again', async () => {
      const { records } = opened();
      const record = hashOnlyRecord();
      await records.recordOnce(record);
      await records.setVisibility(record.certificateHash, 'deleted');
      expect(await records.recordOnce(hashOnlyRecord({ certificateHash: record.certificateHash }))).toEqual({
        recorded: false,
        existing: null,
        record: null,
      });
    });
  });
}
