import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '@cer/sql-store/testing';

import type { NewRecord, TimestampedRecord, Store, UntimestampedRecord } from '../../src/store/index.js';
import { FIND_UNSTAMPED, FIND_UNSTAMPED_PROJECTS } from '../../src/store/sql/timestamps.js';
import { newProject } from './new-project.js';
import { hashOf, newRecord } from './new-record.js';

const TIMESTAMPED_AT = '2026-02-02T00:00:00.000Z';
const ALL = 10_000;

/** Remembering which records an external authority has timestamped. */
export function timestampContract(opened: () => { readonly store: Store; readonly database: TestDatabase }): void {
  async function recorded(members: Partial<NewRecord> = {}): Promise<UntimestampedRecord> {
    const { store } = opened();
    const record = newRecord(members);
    await store.records.recordOnce(record);
    const found = await untimestamped(record.certificateHash);
    if (found === undefined) throw new Error('a new record is not timestamped');
    return found;
  }
  const untimestamped = async (hash: string): Promise<UntimestampedRecord | undefined> =>
    (await opened().store.timestamps.untimestamped(0, ALL)).find(({ certificateHash }) => certificateHash === hash);
  const timestamped = (asRead: UntimestampedRecord, text = '{"timestamps":[]}'): TimestampedRecord => ({
    asRead,
    metaJson: text,
    publicCerJson: asRead.publicCerJson === null ? null : text,
  });
  const find = async ({ certificateHash }: UntimestampedRecord) => opened().store.records.findByHash(certificateHash);

  describe('timestamping records', () => {
    it('writes timestamps and nothing else, and takes the records off the list', async () => {
      const { store } = opened();
      const reseal = { publicCerJson: '{"meta":{}}', resealedCertificateHash: hashOf(randomUUID()) };
      const records = [await recorded(), await recorded(reseal)];
      const before = await Promise.all(records.map(find));
      await store.timestamps.keep(
        records.map((record) => timestamped(record)),
        TIMESTAMPED_AT,
      );
      for (const [index, record] of records.entries()) {
        const { metaJson, publicCerJson } = timestamped(record);
        expect(await find(record)).toEqual({ ...before[index], metaJson, publicCerJson });
        expect(await untimestamped(record.certificateHash)).toBeUndefined();
      }
    });

    it('lists them in order, from a place on, and no more than were asked for', async () => {
      const { timestamps } = opened().store;
      const [first, second] = [await recorded(), await recorded()];
      expect(await timestamps.untimestamped(first.seq - 1, 1)).toEqual([first]);
      expect((await timestamps.untimestamped(first.seq, ALL))[0]).toEqual(second);
      expect(await timestamps.untimestamped(second.seq, ALL)).toEqual([]);
    });

    it('skips records attested again and lists them', async () => {
      const { records, timestamps } = opened().store;
      const [late, again] = [await recorded(), await recorded()];
      const renewed = {
        attestationId: randomUUID(),
        attestedAt: TIMESTAMPED_AT,
        kid: 'key-2',
        metaJson: '{"attestation":{"kid":"key-2"}}',
        publicCerJson: null,
      };
      const replace = async (record: UntimestampedRecord): Promise<boolean> => {
        const asRead = await find(record);
        return asRead !== null && records.replaceAttestation(asRead, renewed);
      };
      expect(await replace(late)).toBe(true);
      await timestamps.keep([timestamped(late)], TIMESTAMPED_AT);
      expect(await find(late)).toMatchObject({ metaJson: renewed.metaJson });
      expect(await untimestamped(late.certificateHash)).toBeDefined();
      await timestamps.keep([timestamped(again)], TIMESTAMPED_AT);
      expect(await replace(again)).toBe(true);
      expect(await untimestamped(again.certificateHash)).toMatchObject({ metaJson: renewed.metaJson });
    });

    it('keeps the first of two timestamps, and does not bring a deleted record back', async () => {
      const { records, timestamps } = opened().store;
      const [twice, deleted] = [await recorded(), await recorded()];
      await records.setVisibility(deleted.certificateHash, 'deleted');
      expect(await untimestamped(deleted.certificateHash)).toBeUndefined();
      await timestamps.keep([timestamped(twice, '{"first":1}'), timestamped(deleted)], TIMESTAMPED_AT);
      await timestamps.keep([timestamped(twice, '{"second":2}')], TIMESTAMPED_AT);
      expect(await find(twice)).toMatchObject({ metaJson: '{"first":1}' });
      expect(await find(deleted)).toBeNull();
    });

    it('keeps the first timestamps of a project, private to its tenant', async () => {
      const { projects, timestamps } = opened().store;
      const untimestampedProject = async (hash: string) =>
        (await timestamps.untimestampedProjects(0, ALL)).find(({ projectHash }) => projectHash === hash);
      const project = newProject();
      const { projectHash, receiptJson, signature } = project;
      await projects.registerOnce(project);
      expect(await timestamps.ofProject(project.tenantId, projectHash)).toBeNull();
      const found = await untimestampedProject(projectHash);
      expect(found).toMatchObject({ projectHash, receiptJson, signature });
      const seq = found?.seq ?? 0;
      await timestamps.keepOfProjects([{ seq, timestampsJson: '[1]' }]);
      await timestamps.keepOfProjects([{ seq, timestampsJson: '[2]' }]);
      expect(await timestamps.ofProject(project.tenantId, projectHash)).toBe('[1]');
      expect(await timestamps.ofProject('another tenant', projectHash)).toBeNull();
      expect(await untimestampedProject(projectHash)).toBeUndefined();
      await projects.setVisibility(projectHash, 'deleted');
      expect(await timestamps.ofProject(project.tenantId, projectHash)).toBeNull();

      const deleted = newProject();
      await projects.registerOnce(deleted);
      await projects.setVisibility(deleted.projectHash, 'deleted');
      expect(await untimestampedProject(deleted.projectHash)).toBeUndefined();
    });

    it('finds remaining rows by a partial index', async () => {
      const { store, database } = opened();
      const isSqlite = database.url.startsWith('sqlite:');
      if (!isSqlite) {
        // Enough rows for an index to pay.
        await database.query(`insert into records (tenant_id, certificate_hash, kind, bundle_type, attestation_id,
            attested_at, kid, request_id, meta_json, stamped_at)
          select 'timestamped', 'timestamped ' || n, 'full', 'b', 'i', 't', 'k', 'r', '{}', 't'
          from generate_series(1, 20000) as n`);
        await database.query('analyze records');
        await database.query(`insert into projects (tenant_id, project_hash, registered_at, total_steps, signature, kid,
            request_id, timestamps_json)
          select 'timestamped', 'timestamped ' || n, 't', 1, 's', 'k', 'r', '[]' from generate_series(1, 20000) as n`);
        await database.query('analyze projects');
      }
      for (const [table, find] of [
        ['records', FIND_UNSTAMPED],
        ['projects', FIND_UNSTAMPED_PROJECTS],
      ] as const) {
        const statement = find.replace('$1', '0').replace('$2', '16');
        const plan = await database.query(`explain ${isSqlite ? 'query plan ' : ''}${statement}`);
        expect(JSON.stringify(plan)).toContain(`${table}_unstamped`);
        expect(JSON.stringify(plan)).not.toMatch(/Seq Scan|SCAN (records|projects)|TEMP B-TREE|Sort/);
      }
      expect(await store.timestamps.untimestamped(0, ALL)).not.toContainEqual(
        expect.objectContaining({ certificateHash: 'timestamped 1' }),
      );
    });
  });
}
