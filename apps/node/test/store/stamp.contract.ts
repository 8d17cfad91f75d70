import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import type { NewRecord, StampedRecord, Store, UnstampedRecord } from '../../src/store/index.js';
import { FIND_UNSTAMPED, FIND_UNSTAMPED_PROJECTS } from '../../src/store/sql/timestamps.js';
import { newProject } from './new-project.js';
import { hashOf, newRecord } from './new-record.js';
import type { TestDatabase } from './test-database.js';

const STAMPED_AT = '2026-02-02T00:00:00.000Z';
const ALL = 10_000;

/** Remembering which records an external authority has stamped. */
export function stampContract(opened: () => { readonly store: Store; readonly database: TestDatabase }): void {
  async function recorded(members: Partial<NewRecord> = {}): Promise<UnstampedRecord> {
    const { store } = opened();
    const record = newRecord(members);
    await store.records.recordOnce(record);
    const found = await unstamped(record.certificateHash);
    if (found === undefined) throw new Error('a new record is not stamped');
    return found;
  }
  const unstamped = async (hash: string): Promise<UnstampedRecord | undefined> =>
    (await opened().store.stamps.unstamped(0, ALL)).find(({ certificateHash }) => certificateHash === hash);
  const stamped = (asRead: UnstampedRecord, text = '{"timestamps":[]}'): StampedRecord => ({
    asRead,
    metaJson: text,
    publicCerJson: asRead.publicCerJson === null ? null : text,
  });
  const find = async ({ certificateHash }: UnstampedRecord) => opened().store.records.findByHash(certificateHash);

  describe('stamping records', () => {
    it('writes timestamps and nothing else, and takes the records off the list', async () => {
      const { store } = opened();
      const reseal = { publicCerJson: '{"meta":{}}', resealedCertificateHash: hashOf(randomUUID()) };
      const records = [await recorded(), await recorded(reseal)];
      const before = await Promise.all(records.map(find));
      await store.stamps.keep(
        records.map((record) => stamped(record)),
        STAMPED_AT,
      );
      for (const [index, record] of records.entries()) {
        const { metaJson, publicCerJson } = stamped(record);
        expect(await find(record)).toEqual({ ...before[index], metaJson, publicCerJson });
        expect(await unstamped(record.certificateHash)).toBeUndefined();
      }
    });

    it('lists them in order, from a place on, and no more than were asked for', async () => {
      const { stamps } = opened().store;
      const [first, second] = [await recorded(), await recorded()];
      expect(await stamps.unstamped(first.seq - 1, 1)).toEqual([first]);
      expect((await stamps.unstamped(first.seq, ALL))[0]).toEqual(second);
      expect(await stamps.unstamped(second.seq, ALL)).toEqual([]);
    });

    it('leaves alone what was attested anew since it was read, and lists it again', async () => {
      const { records, stamps } = opened().store;
      const [late, again] = [await recorded(), await recorded()];
      const anew = {
        attestationId: randomUUID(),
        attestedAt: STAMPED_AT,
        kid: 'key-2',
        metaJson: '{"attestation":{"kid":"key-2"}}',
        publicCerJson: null,
      };
      const replace = async (record: UnstampedRecord): Promise<boolean> => {
        const asRead = await find(record);
        return asRead !== null && records.replaceAttestation(asRead, anew);
      };
      expect(await replace(late)).toBe(true);
      await stamps.keep([stamped(late)], STAMPED_AT);
      expect(await find(late)).toMatchObject({ metaJson: anew.metaJson });
      expect(await unstamped(late.certificateHash)).toBeDefined();
      await stamps.keep([stamped(again)], STAMPED_AT);
      expect(await replace(again)).toBe(true);
      expect(await unstamped(again.certificateHash)).toMatchObject({ metaJson: anew.metaJson });
    });

    it('keeps the first of two timestamps, and does not bring a deleted record back', async () => {
      const { records, stamps } = opened().store;
      const [twice, deleted] = [await recorded(), await recorded()];
      await records.setVisibility(deleted.certificateHash, 'deleted');
      expect(await unstamped(deleted.certificateHash)).toBeUndefined();
      await stamps.keep([stamped(twice, '{"first":1}'), stamped(deleted)], STAMPED_AT);
      await stamps.keep([stamped(twice, '{"second":2}')], STAMPED_AT);
      expect(await find(twice)).toMatchObject({ metaJson: '{"first":1}' });
      expect(await find(deleted)).toBeNull();
    });

    it('keeps the first timestamps of a project, and shows those of no other tenant and of no deleted one', async () => {
      const { projects, stamps } = opened().store;
      const unstampedProject = async (hash: string) =>
        (await stamps.unstampedProjects(0, ALL)).find(({ projectHash }) => projectHash === hash);
      const project = newProject();
      const { projectHash, receiptJson, signature } = project;
      await projects.registerOnce(project, 'visible');
      expect(await stamps.ofProject(project.tenantId, projectHash)).toBeNull();
      const found = await unstampedProject(projectHash);
      expect(found).toMatchObject({ projectHash, receiptJson, signature });
      const seq = found?.seq ?? 0;
      await stamps.keepOfProjects([{ seq, timestampsJson: '[1]' }]);
      await stamps.keepOfProjects([{ seq, timestampsJson: '[2]' }]);
      expect(await stamps.ofProject(project.tenantId, projectHash)).toBe('[1]');
      expect(await stamps.ofProject('another tenant', projectHash)).toBeNull();
      expect(await unstampedProject(projectHash)).toBeUndefined();
      await projects.setVisibility(projectHash, 'deleted');
      expect(await stamps.ofProject(project.tenantId, projectHash)).toBeNull();

      const deleted = newProject();
      await projects.registerOnce(deleted, 'visible');
      await projects.setVisibility(deleted.projectHash, 'deleted');
      expect(await unstampedProject(deleted.projectHash)).toBeUndefined();
    });

    it('finds what is left by an index that holds nothing else', async () => {
      const { store, database } = opened();
      const isSqlite = database.url.startsWith('sqlite:');
      if (!isSqlite) {
        // Enough rows for an index to pay.
        await database.query(`insert into records (tenant_id, certificate_hash, kind, bundle_type, attestation_id,
            attested_at, kid, request_id, meta_json, stamped_at)
          select 'stamped', 'stamped ' || n, 'full', 'b', 'i', 't', 'k', 'r', '{}', 't'
          from generate_series(1, 20000) as n`);
        await database.query('analyze records');
        await database.query(`insert into projects (tenant_id, project_hash, registered_at, total_steps, signature, kid,
            request_id, timestamps_json)
          select 'stamped', 'stamped ' || n, 't', 1, 's', 'k', 'r', '[]' from generate_series(1, 20000) as n`);
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
      expect(await store.stamps.unstamped(0, ALL)).not.toContainEqual(
        expect.objectContaining({ certificateHash: 'stamped 1' }),
      );
    });
  });
}
