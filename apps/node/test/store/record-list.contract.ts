import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { ListedRecord, RecordFilter, RecordPlace, Store, WholeRecord } from '../../src/store/index.js';
import { newProject } from './new-project.js';
import { hashOf, hashOnlyRecord, newRecord } from './new-record.js';

const time = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

/** Contract of the list of a tenant's records. */
export function recordListContract(storeOf: () => Store): void {
  describe('listing', () => {
    const tenantId = `lister-${randomUUID()}`;
    let hashes: readonly string[];

    beforeAll(async () => {
      const { records, projects, timestamps } = storeOf();
      // Recorded in another order than attested; every third has another application, every tenth is hash-only.
      const minutes = [...Array(30).keys()];
      const rows = minutes.map((minute) =>
        minute % 10 === 9
          ? hashOnlyRecord({ tenantId, attestedAt: time(minute), bundleType: 'hash-only-timestamp' })
          : newRecord({
              tenantId,
              attestedAt: time(minute),
              appId: minute % 3 === 0 ? 'app-3' : 'app-1',
              provider: minute % 2 === 0 ? 'even' : 'odd',
              model: `model-${minute % 4}`,
              protocolVersion: minute < 20 ? '1.2.0' : '1.3.1',
              executionId: `${tenantId} ${minute}`,
              resealedCertificateHash: minute === 6 ? hashOf(`${tenantId} reseal`) : null,
            }),
      );
      for (const row of rows.toReversed()) await records.recordOnce(row);
      await records.recordOnce(newRecord({ tenantId: 'somebody else', attestedAt: time(5) }));
      hashes = rows.map(({ certificateHash }) => certificateHash);
      for (const minute of [4, 12, 29]) await records.setVisibility(hashes[minute] ?? '', 'hidden', tenantId);
      await records.setVisibility(hashes[7] ?? '', 'deleted', tenantId);
      await projects.registerOnce(
        newProject({
          tenantId,
          projectHash: hashOf(`${tenantId} project`),
          stepHashes: [2, 4, 5, 7].map((minute) => ({ stepId: 's', certificateHash: hashes[minute] ?? '' })),
        }),
      );
      const timestamped = new Set([hashes[3], hashes[8]]);
      for (let after = 0; ;) {
        const found = await timestamps.untimestamped(after, 100);
        const last = found.at(-1);
        if (last === undefined) break;
        after = last.seq;
        await timestamps.keep(
          found
            .filter(({ certificateHash }) => timestamped.has(certificateHash))
            .map((asRead) => ({ asRead, metaJson: asRead.metaJson, publicCerJson: null })),
          time(59),
        );
      }
    });

    const minutesOf = (found: readonly Pick<ListedRecord, 'certificateHash'>[]): number[] =>
      found.map(({ certificateHash }) => hashes.indexOf(certificateHash));

    /** Every page of a list, read to its end. */
    async function paged(
      filter: Omit<RecordFilter, 'tenantId'>,
      order: 'oldest' | 'newest',
      limit: number,
    ): Promise<number[]> {
      const { recordList } = storeOf();
      const found: number[] = [];
      for (let after: RecordPlace | null = null; ;) {
        const page = await recordList.page({ tenantId, ...filter }, order, after, limit);
        found.push(...minutesOf(page));
        const last = page.at(-1);
        if (last === undefined) return found;
        after = await recordList.place(tenantId, last.certificateHash, last.kind);
      }
    }

    const kept = [...Array(30).keys()].filter((minute) => minute !== 7);

    it.each([1, 4, 7, 100])('reads to the end in pages of %i, in either order', async (limit) => {
      expect(await paged({}, 'oldest', limit)).toEqual(kept);
      expect(await paged({}, 'newest', limit)).toEqual(kept.toReversed());
    });

    it.each<[string, Omit<RecordFilter, 'tenantId'>, (minute: number) => boolean]>([
      ['application', { appId: 'app-3' }, (minute) => minute % 3 === 0 && minute % 10 !== 9],
      ['type', { bundleType: 'hash-only-timestamp' }, (minute) => minute % 10 === 9],
      ['hidden', { status: 'hidden' }, (minute) => [4, 12, 29].includes(minute)],
      ['visible', { status: 'visible' }, (minute) => ![4, 12, 29].includes(minute)],
      ['from a time on', { attestedFrom: time(12) }, (minute) => minute >= 12],
      ['before a time', { attestedTo: time(12) }, (minute) => minute < 12],
      [
        'all at once',
        {
          appId: 'app-3',
          bundleType: 'cer.ai.execution.v1',
          status: 'hidden',
          attestedFrom: time(3),
          attestedTo: time(28),
        },
        (minute) => minute === 12,
      ],
      ['provider', { provider: 'odd' }, (minute) => minute % 2 === 1 && minute % 10 !== 9],
      ['model', { model: 'model-2' }, (minute) => minute % 4 === 2 && minute % 10 !== 9],
      ['protocol', { protocolVersion: '1.3.1' }, (minute) => minute >= 20 && minute % 10 !== 9],
      [
        'model, provider, protocol and application',
        { model: 'model-0', provider: 'even', protocolVersion: '1.2.0', appId: 'app-3' },
        (minute) => minute % 4 === 0 && minute % 3 === 0 && minute < 20,
      ],
      ['provider and a model of another', { model: 'model-1', provider: 'even' }, () => false],
      ['external timestamp', { timestamped: true }, (minute) => minute === 3 || minute === 8],
      ['external timestamp and provider', { timestamped: true, provider: 'odd' }, (minute) => minute === 3],
      ['place in the log', { logProof: true }, () => false],
      ['executionId', { executionId: `${tenantId} 11` }, (minute) => minute === 11],
      ['executionId and another model', { executionId: `${tenantId} 11`, model: 'model-0' }, () => false],
      ['executionId of a deleted record', { executionId: `${tenantId} 7` }, () => false],
      ['hash of a reseal', { certificateHash: hashOf(`${tenantId} reseal`) }, (minute) => minute === 6],
      ['unknown hash', { certificateHash: hashOf('never') }, () => false],
      ['project', { projectHash: hashOf(`${tenantId} project`) }, (minute) => [2, 4, 5].includes(minute)],
      [
        'project, status and time',
        { projectHash: hashOf(`${tenantId} project`), status: 'visible', attestedFrom: time(3) },
        (minute) => minute === 5,
      ],
      ['a type without records', { bundleType: 'cer.ai.execution.v2' }, () => false],
    ])('filters by %s', async (_, filter, isMeant) => {
      expect(await paged(filter, 'oldest', 3)).toEqual(kept.filter(isMeant));
      expect(await paged(filter, 'newest', 3)).toEqual(kept.filter(isMeant).toReversed());
    });

    it('counts what it lists, up to a number', async () => {
      const { recordList } = storeOf();
      expect(await recordList.count({ tenantId }, 100)).toBe(kept.length);
      expect(await recordList.count({ tenantId, model: 'model-2', status: 'hidden' }, 100)).toBe(0);
      expect(await recordList.count({ tenantId, logProof: true }, 100)).toBe(0);
      expect(await recordList.count({ tenantId }, 5)).toBeGreaterThanOrEqual(5);
      expect(await recordList.count({ tenantId: 'nobody' }, 100)).toBe(0);
    });

    it('finds a certificate by its hash among own records only', async () => {
      const { recordList } = storeOf();
      const certificateHash = hashes[2] ?? '';
      const found = await recordList.page({ tenantId, certificateHash }, 'newest', null, 5);
      expect(found).toMatchObject([{ certificateHash, provider: 'even', model: 'model-2', timestampedAt: null }]);
      expect(await recordList.page({ tenantId: 'somebody else', certificateHash }, 'newest', null, 5)).toEqual([]);
    });

    it('finds the reviews of a hash, of this account alone', async () => {
      const { records, recordList } = storeOf();
      const [reviewedHash, tenant] = [hashOf('reviewed'), `reviewed-${randomUUID()}`];
      const [own, other] = [newRecord({ tenantId: tenant, reviewedHash }), newRecord({ reviewedHash })];
      for (const record of [own, other]) await records.recordOnce(record);
      const found = await recordList.page({ tenantId: tenant, reviewedHash }, 'newest', null, 5);
      expect(found.map(({ certificateHash }) => certificateHash)).toEqual([own.certificateHash]);
      expect(await recordList.page({ tenantId: tenant, reviewedHash: hashOf('another') }, 'newest', null, 5)).toEqual(
        [],
      );
      await records.setVisibility(own.certificateHash, 'deleted', tenant);
      expect(await recordList.page({ tenantId: tenant, reviewedHash }, 'newest', null, 5)).toEqual([]);
    });

    it('never leaves the filter from any position', async () => {
      const { recordList } = storeOf();
      const early = await recordList.place(tenantId, hashes[1] ?? '', 'full');
      const page = await recordList.page({ tenantId, attestedFrom: time(10) }, 'oldest', early, 2);
      expect(minutesOf(page)).toEqual([10, 11]);
    });

    it("knows positions of the tenant's records only", async () => {
      const { recordList } = storeOf();
      expect(await recordList.place(tenantId, hashes[7] ?? '', 'full')).toMatchObject({ time: time(7) });
      expect(await recordList.place('somebody else', hashes[7] ?? '', 'full')).toBeNull();
      expect(await recordList.place(tenantId, hashOf('never'), 'full')).toBeNull();
    });

    it('keeps the position of a record attested again', async () => {
      const { records, recordList } = storeOf();
      const own = `attested-again-${randomUUID()}`;
      const rows = [1, 2].map((minute) => newRecord({ tenantId: own, attestedAt: time(minute) }));
      for (const row of rows) await records.recordOnce(row);
      for (const attestedAt of [time(50), time(55)]) {
        const read = await records.findOwnByHash(own, rows[0]?.certificateHash ?? '', 'full');
        if (read === null) throw new Error('must be there');
        expect(
          await records.replaceAttestation(read, { ...read, attestedAt, metaJson: `{"at":"${attestedAt}"}` }),
        ).toBe(true);
      }
      const page = await recordList.page({ tenantId: own }, 'oldest', null, 10);
      expect(page).toMatchObject([
        { certificateHash: rows[0]?.certificateHash, attestedAt: time(55), firstAttestedAt: time(1) },
        { certificateHash: rows[1]?.certificateHash, attestedAt: time(2), firstAttestedAt: time(2) },
      ]);
    });

    async function whole(filter: RecordFilter, between?: () => Promise<unknown>): Promise<WholeRecord[]> {
      const { recordList } = storeOf();
      const snapshot = await recordList.snapshot();
      await between?.();
      const found: WholeRecord[] = [];
      for await (const record of recordList.all(filter, snapshot)) found.push(record);
      return found;
    }

    it('reads complete snapshots without later records', async () => {
      const { records } = storeOf();
      const own = `exporter-${randomUUID()}`;
      const rows = Array.from({ length: 230 }, (_, index) =>
        newRecord({
          tenantId: own,
          attestedAt: time(index % 7),
          bundleJson: JSON.stringify({ index, filler: index % 50 === 3 ? 'x'.repeat(300_000) : '' }),
        }),
      );
      await Promise.all(rows.map((row) => records.recordOnce(row)));
      const found = await whole({ tenantId: own }, () =>
        records.recordOnce(newRecord({ tenantId: own, attestedAt: time(0) })),
      );
      const contents = new Set(rows.map(({ bundleJson }) => bundleJson));
      expect(found.filter(({ record }) => !contents.has(record.bundleJson))).toHaveLength(0);
      expect(new Set(found.map(({ record }) => record.certificateHash)).size).toBe(230);
      expect(found).toHaveLength(230);
      const times = found.map(({ firstAttestedAt }) => firstAttestedAt);
      expect(times).toEqual(times.toSorted());
    });

    it('skips records deleted before their turn', async () => {
      const { records } = storeOf();
      const own = `deleter-${randomUUID()}`;
      const rows = [1, 2, 3].map((minute) => newRecord({ tenantId: own, attestedAt: time(minute) }));
      for (const row of rows) await records.recordOnce(row);
      const gone = rows[1]?.certificateHash ?? '';
      const found = await whole({ tenantId: own }, () => records.setVisibility(gone, 'deleted', own));
      expect(found.map(({ record }) => record.certificateHash)).toEqual([
        rows[0]?.certificateHash,
        rows[2]?.certificateHash,
      ]);
    });
  });
}
