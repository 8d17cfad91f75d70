import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { DueItem, HeldKind, NewRecord, RecordPlace, Store } from '../../src/store/index.js';
import { newProject } from './new-project.js';
import { hashOnlyRecord, newRecord } from './new-record.js';

const BEFORE = '2026-02-01T00:00:00.000Z';
const day = (number: number): string => `2026-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;

/** Contract of retention. */
export function retentionContract(opened: () => Store): void {
  async function allDue(kind: HeldKind, tenantId: string): Promise<{ hashes: string[]; batches: number }> {
    const hashes: string[] = [];
    let batches = 0;
    for (let after: RecordPlace | null = null; ; batches += 1) {
      const { due, next } = await opened().retention.due(kind, tenantId, BEFORE, after);
      hashes.push(...due.map(({ hash }) => hash));
      if (next === null) return { hashes, batches: batches + 1 };
      after = next;
    }
  }

  async function recorded(...records: readonly NewRecord[]): Promise<void> {
    await Promise.all(records.map((record) => opened().records.recordOnce(record)));
  }

  describe('retention', () => {
    it('finds older records of a tenant, oldest first', async () => {
      const { records, projects } = opened();
      const tenantId = randomUUID();
      const old = [3, 1, 2].map((number) => newRecord({ tenantId, attestedAt: day(number) }));
      const hashOnly = hashOnlyRecord({ tenantId, attestedAt: day(4), bundleType: 'hash-only-timestamp' });
      const deleted = newRecord({ tenantId, attestedAt: day(1) });
      await recorded(
        ...[...old, hashOnly, deleted],
        newRecord({ tenantId, attestedAt: BEFORE }),
        newRecord({ attestedAt: day(1) }),
      );
      await records.setVisibility(deleted.certificateHash, 'deleted');
      await records.setVisibility(old[0]?.certificateHash ?? '', 'hidden');
      const inOrder = [old[1], old[2], old[0], hashOnly].map((record) => record?.certificateHash);
      expect(await allDue('records', tenantId)).toEqual({ hashes: inOrder, batches: 1 });

      const registered = [2, 1].map((number) => newProject({ tenantId, registeredAt: day(number) }));
      for (const project of [...registered, newProject({ tenantId, registeredAt: BEFORE })]) {
        await projects.registerOnce(project);
      }
      const [second, first] = registered.map(({ projectHash }) => projectHash);
      expect(await allDue('projects', tenantId)).toEqual({ hashes: [first, second], batches: 1 });
    });

    it('counts from the first attestation', async () => {
      const { records } = opened();
      const tenantId = randomUUID();
      const record = newRecord({ tenantId, attestedAt: day(1) });
      await recorded(record);
      const asRead = await records.findByHash(record.certificateHash);
      if (asRead === null) throw new Error('the record is missing');
      await records.replaceAttestation(asRead, {
        ...asRead,
        attestationId: randomUUID(),
        attestedAt: BEFORE,
        metaJson: '{}',
      });
      expect((await allDue('records', tenantId)).hashes).toEqual([record.certificateHash]);
    });

    it('skips held items and finds each other once', async () => {
      const { legalHolds } = opened();
      const tenantId = randomUUID();
      const records = Array.from({ length: 230 }, () => newRecord({ tenantId, attestedAt: day(1) }));
      await recorded(...records);
      const hashes = records.map(({ certificateHash }) => certificateHash);
      for (const hash of hashes.slice(0, 130)) await legalHolds.place('records', hash, tenantId);
      const found = await allDue('records', tenantId);
      expect(found.hashes.toSorted()).toEqual(hashes.slice(130).toSorted());
      expect(found.batches).toBe(3);
    });

    it('makes smaller batches of large records', async () => {
      const tenantId = randomUUID();
      const bundleJson = JSON.stringify({ filler: 'x'.repeat(1_500_000) });
      await recorded(...[1, 2, 3, 4].map((number) => newRecord({ tenantId, attestedAt: day(number), bundleJson })));
      const first = await opened().retention.due('records', tenantId, BEFORE, null);
      expect([first.due.length, (await allDue('records', tenantId)).hashes.length]).toEqual([3, 4]);
    });

    it('erases due items once, except newly held ones', async () => {
      const { records, projects, retention, legalHolds } = opened();
      const tenantId = randomUUID();
      const [first, second] = [newRecord({ tenantId }), newRecord({ tenantId })];
      await recorded(first, second);
      const project = newProject({ tenantId });
      await projects.registerOnce(project);
      const found = async (kind: HeldKind): Promise<readonly DueItem[]> =>
        (await retention.due(kind, tenantId, BEFORE, null)).due;
      const [dueRecords, dueProjects] = [await found('records'), await found('projects')];
      expect([dueRecords.length, dueProjects.length]).toEqual([2, 1]);
      await legalHolds.place('records', second.certificateHash, null);
      expect(await retention.deleteDue('records', dueRecords, 1)).toBe(1);
      expect(await retention.deleteDue('records', dueRecords, 1)).toBe(0);
      expect(await retention.deleteDue('projects', dueProjects, 2)).toBe(1);
      expect(await retention.deleteDue('projects', [], 2)).toBe(0);
      expect(await records.findByHash(first.certificateHash)).toBeNull();
      expect(await records.findExecution(tenantId, first.executionId ?? '')).toMatchObject({ record: null });
      expect(await records.findByHash(second.certificateHash)).not.toBeNull();
      expect(await projects.findOwnByHash(tenantId, project.projectHash)).toBeNull();
      expect([await found('records'), await found('projects')]).toEqual([[], []]);
    });

    it('rewrites its tables on request', async () => {
      const store = opened();
      const record = newRecord();
      await recorded(record);
      const before = await store.records.findByHash(record.certificateHash);
      await store.compact();
      expect(await store.records.findByHash(record.certificateHash)).toEqual(before);
      expect(before).not.toBeNull();
    });
  });

  describe('processes that sign', () => {
    it('are removed after a long silence', async () => {
      const { signingKeys } = opened();
      const [old, young] = [randomUUID(), randomUUID()];
      const announce = (instanceId: string, seenMs: number): Promise<void> =>
        signingKeys.announce({ instanceId, kid: null, lastSignedAt: null, seenMs });
      await announce(old, 999);
      await announce(young, 1_000);
      await signingKeys.forgetSilent(1_000);
      const known = (await signingKeys.read()).nodes.map(({ instanceId }) => instanceId);
      expect([known.includes(old), known.includes(young)]).toEqual([false, true]);
      await signingKeys.leave(young);
    });
  });
}
