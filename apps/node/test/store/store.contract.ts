import { inspect } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, type Migration } from '@cer/sql-store';
import type { TestDatabase } from '@cer/sql-store/testing';

import {
  migrate,
  openStore,
  StoreBusyError,
  StoreError,
  type RecordOutcome,
  type Store,
  type StoreOptions,
} from '../../src/store/index.js';
import { alertsContract } from './alerts.contract.js';
import { attestationContract } from './attestation.contract.js';
import { auditContract } from './audit.contract.js';
import { coverageContract } from './coverage.contract.js';
import { leaseContract } from './lease.contract.js';
import { legalHoldContract } from './legal-hold.contract.js';
import { logContract } from './log.contract.js';
import { hashOf, hashOnlyRecord, newRecord } from './new-record.js';
import { projectContract } from './project.contract.js';
import { recordFactsContract } from './record-facts.contract.js';
import { recordListContract } from './record-list.contract.js';
import { timestampContract } from './timestamp.contract.js';
import { retentionContract } from './retention.contract.js';
import { tenantContract } from './tenant.contract.js';
import { tenantSettingsContract } from './tenant-settings.contract.js';
import { visibilityContract } from './visibility.contract.js';

const QUEUE_LIMIT = 1_000;

/** Contract of the store. */
export function storeContract(
  makeDatabase: () => Promise<TestDatabase>,
  options: Pick<StoreOptions, 'writerThread'> = {},
): void {
  let database: TestDatabase;
  let store: Store;
  const open = (databaseUrl: string, queueLimit = QUEUE_LIMIT): Promise<Store> =>
    openStore({ databaseUrl, queueLimit, ...options });

  beforeAll(async () => {
    database = await makeDatabase();
    store = await open(database.url);
  });

  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  describe('recording', () => {
    it('stores a first record verbatim', async () => {
      const record = newRecord({
        appId: 'app',
        publicCerJson: '{"public":"é ☃ 𝄞"}',
        resealedCertificateHash: hashOf('reseal'),
        commitmentSecretId: 'secret-1',
      });
      expect(await store.records.recordOnce(record)).toEqual({ recorded: true });

      const { createdAt, timestamp, commitmentSecretId, reviewedHash, ...kept } = record;
      expect(reviewedHash).toBeNull();
      const { tenantId, executionId, certificateHash } = record;
      expect(await store.records.findExecution('tenant-a', record.executionId ?? '')).toEqual({
        execution: { tenantId, executionId, certificateHash, createdAt, timestamp, commitmentSecretId },
        record: { ...kept, visibility: 'visible' },
      });
    });

    it('answers a replay with the stored record', async () => {
      const first = newRecord();
      await store.records.recordOnce(first);
      const again = newRecord({ executionId: first.executionId, createdAt: '2030-01-01T00:00:00Z' });

      expect(await store.records.recordOnce(again)).toMatchObject({
        recorded: false,
        existing: { certificateHash: first.certificateHash, createdAt: first.createdAt },
        record: { attestationId: first.attestationId, requestId: first.requestId, bundleJson: first.bundleJson },
      });
    });

    it('returns the first hash for other content', async () => {
      const first = newRecord();
      await store.records.recordOnce(first);
      const mutation = newRecord({ executionId: first.executionId, content: 'changed' });

      expect(await store.records.recordOnce(mutation)).toMatchObject({
        recorded: false,
        existing: { certificateHash: first.certificateHash },
      });
      expect(await store.records.findByHash(mutation.certificateHash)).toBeNull();
    });

    it('recognizes its own commit after a lost response', async () => {
      const record = newRecord();
      await store.records.recordOnce(record);
      expect(await store.records.recordOnce(record)).toEqual({ recorded: true });
    });

    it('allows equal ids and hashes across tenants', async () => {
      const first = newRecord();
      const second = newRecord({ executionId: first.executionId, tenantId: 'tenant-b' });
      expect(await store.records.recordOnce(first)).toEqual({ recorded: true });
      expect(await store.records.recordOnce(second)).toEqual({ recorded: true });
      for (const { tenantId, attestationId } of [first, second]) {
        expect(await store.records.findOwnByHash(tenantId, first.certificateHash, 'full')).toMatchObject({
          attestationId,
        });
      }
    });

    it('stores one hash-only record per tenant and hash', async () => {
      const full = newRecord();
      const hashOnly = hashOnlyRecord({ certificateHash: full.certificateHash });
      expect(await store.records.recordOnce(hashOnly)).toEqual({ recorded: true });
      expect(await store.records.recordOnce(full)).toEqual({ recorded: true });
      expect(await store.records.recordOnce(hashOnlyRecord({ certificateHash: full.certificateHash }))).toMatchObject({
        recorded: false,
        existing: null,
        record: { attestationId: hashOnly.attestationId },
      });
    });

    it('lists the commitment secrets in use', async () => {
      await store.records.recordOnce(newRecord({ commitmentSecretId: 'secret-2' }));
      await store.records.recordOnce(newRecord({ commitmentSecretId: 'secret-2' }));
      expect(await store.referencedCommitmentSecretIds()).toEqual(expect.arrayContaining(['secret-2']));
      expect(new Set(await store.referencedCommitmentSecretIds())).not.toContain('secret-3');
    });

    it('finds no unknown execution or record', async () => {
      expect(await store.records.findExecution('tenant-a', 'never')).toBeNull();
      expect(await store.records.findByHash(hashOf('never'))).toBeNull();
      expect(await store.records.findByExecutionId('lone \ud800', { limit: 1 })).toEqual([]);
      expect(await store.records.findExecution('tenant-a', 'nul \0')).toBeNull();
    });
  });

  describe('racing', () => {
    it('accepts one of 64 parallel calls', async () => {
      const calls = Array.from({ length: 64 }, () => newRecord({ executionId: 'raced', content: 'raced' }));
      const outcomes = await Promise.all(calls.map((record) => store.records.recordOnce(record)));
      const winner = calls[outcomes.findIndex(({ recorded }) => recorded)];
      expect(winnersOf(outcomes)).toBe(1);
      for (const outcome of outcomes) {
        if (!outcome.recorded) expect(outcome.record?.attestationId).toBe(winner?.attestationId);
      }
    });

    it('accepts one of several contents', async () => {
      const calls = Array.from({ length: 64 }, (_, index) =>
        newRecord({ executionId: 'mixed', content: `mixed ${index % 2}` }),
      );
      const outcomes = await Promise.all(calls.map((record) => store.records.recordOnce(record)));
      expect(winnersOf(outcomes)).toBe(1);
      const winner = calls[outcomes.findIndex(({ recorded }) => recorded)];
      for (const outcome of outcomes) {
        if (!outcome.recorded) expect(outcome.existing?.certificateHash).toBe(winner?.certificateHash);
      }
    });

    it('accepts one per executionId across three stores', async () => {
      const stores = await Promise.all([1, 2, 3].map(() => open(database.url)));
      // Each in another order, which could deadlock batches of two nodes.
      const ids = Array.from({ length: 100 }, (_, index) => `stores-${index}`);
      const orders = [ids, ids.toReversed(), [...ids.slice(50), ...ids.slice(0, 50)]];
      const outcomes = await Promise.all(
        stores.flatMap(({ records }, index) =>
          (orders[index] ?? []).map(async (executionId) => ({
            executionId,
            outcome: await records.recordOnce(newRecord({ executionId, content: `${executionId} of ${index}` })),
          })),
        ),
      );
      for (const id of ids) {
        expect(winnersOf(outcomes.filter(({ executionId }) => executionId === id).map(({ outcome }) => outcome))).toBe(
          1,
        );
      }
      await Promise.all(stores.map((opened) => opened.close()));
      expect(await strays(database)).toEqual([]);
    });
  });

  describe('refusing', () => {
    it('rejects only the bad row of a batch', async () => {
      const taken = newRecord();
      await store.records.recordOnce(taken);
      const bad = newRecord({ certificateHash: taken.certificateHash });
      const rows = [
        ...Array.from({ length: 20 }, () => newRecord()),
        bad,
        ...Array.from({ length: 20 }, () => newRecord()),
      ];

      const outcomes = await Promise.allSettled(rows.map((row) => store.records.recordOnce(row)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(40);
      expect(outcomes[20]).toMatchObject({
        status: 'rejected',
        reason: { code: 'STORE_ROW_REFUSED', driverCode: expect.stringMatching(/^(SQLITE_CONSTRAINT_|23505$)/) },
      });
      expect(await store.records.findExecution('tenant-a', bad.executionId ?? '')).toBeNull();
      expect(await strays(database)).toEqual([]);
    });

    it('tries the next call after a rejected one', async () => {
      const taken = newRecord();
      await store.records.recordOnce(taken);
      const outcomes = await Promise.allSettled([
        store.records.recordOnce(newRecord({ executionId: 'second chance', certificateHash: taken.certificateHash })),
        store.records.recordOnce(newRecord({ executionId: 'second chance', content: 'good' })),
        store.records.recordOnce(newRecord({ executionId: 'second chance', content: 'good' })),
      ]);
      expect(outcomes).toMatchObject([
        { reason: { code: 'STORE_ROW_REFUSED' } },
        { value: { recorded: true } },
        { value: { recorded: false, existing: { certificateHash: hashOf('good') } } },
      ]);
    });

    it.each(['NUL \0', 'lone \ud800', 'lone \udc00 low'])(
      'rejects text that a database would change: %j',
      async (id) => {
        await expect(store.records.recordOnce(newRecord({ executionId: id }))).rejects.toMatchObject({
          code: 'STORE_ROW_REFUSED',
        });
      },
    );

    it('rejects a hash-only record with an executionId', async () => {
      await expect(store.records.recordOnce(newRecord({ kind: 'hash-only' }))).rejects.toBeInstanceOf(StoreError);
    });

    it('never quotes the row in its errors', async () => {
      const taken = newRecord();
      await store.records.recordOnce(taken);
      const bad = newRecord({
        executionId: 'canary-id',
        certificateHash: taken.certificateHash,
        bundleJson: '{"canary":"canary-json"}',
      });
      const error: unknown = await store.records.recordOnce(bad).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreError);
      const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
      expect(shown).not.toContain('canary');
      expect(shown).not.toContain(taken.certificateHash);
    });

    it('refuses calls while the queue is full', async () => {
      const small = await open(database.url, 3);
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => small.records.recordOnce(newRecord())));
      expect(outcomes.map(({ status }) => status)).toEqual([
        ...Array<string>(3).fill('fulfilled'),
        'rejected',
        'rejected',
      ]);
      for (const outcome of outcomes.slice(3)) {
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StoreBusyError);
      }
      expect(small.pendingRecords()).toBe(0);
      expect(await small.records.recordOnce(newRecord())).toEqual({ recorded: true });
      await small.close();
    });
  });

  describe('opening and closing', () => {
    it('commits every accepted record before it closes', async () => {
      const closing = await open(database.url);
      const rows = Array.from({ length: 600 }, (_, index) => newRecord({ executionId: `closing-${index % 500}` }));
      const outcomes = Promise.all(rows.map((row) => closing.records.recordOnce(row)));
      await closing.close();
      expect(winnersOf(await outcomes)).toBe(500);

      const reopened = await open(database.url);
      for (const { executionId, certificateHash } of rows) {
        expect(await reopened.records.findExecution('tenant-a', executionId ?? '')).toMatchObject({
          execution: { certificateHash },
          record: { certificateHash },
        });
      }
      await reopened.close();
    });

    it('refuses calls after close', async () => {
      const closed = await open(database.url);
      await closed.close();
      await expect(closed.records.recordOnce(newRecord())).rejects.toMatchObject({ code: 'STORE_CLOSED' });
      await expect(closed.ping()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    });

    it('is created by concurrently starting nodes', async () => {
      const empty = await makeDatabase();
      const stores = await Promise.all([1, 2, 3].map(() => open(empty.url, 1)));
      expect(new Set(stores.map(({ schemaVersion }) => schemaVersion))).toEqual(new Set([store.schemaVersion]));
      await Promise.all(stores.map((opened) => opened.ping()));
      await Promise.all(stores.map((opened) => opened.close()));
      await empty.remove();
    });

    it('refuses a database of a newer release', async () => {
      const newer = await makeDatabase();
      expect(await migrate(newer.url)).toBe(store.schemaVersion);
      await newer.query(`insert into schema_versions (version) values (${store.schemaVersion + 1})`);
      await expect(open(newer.url, 1)).rejects.toMatchObject({
        code: 'STORE_SCHEMA_TOO_NEW',
        message: expect.stringContaining('of another service'),
      });
      await newer.remove();
    });

    it('names another service and creates nothing in its database', async () => {
      const others = await makeDatabase();
      const dashboard: Migration = {
        version: 1,
        up: (schema) => schema.createTable('login_attempts', (table) => void table.integer('id')),
      };
      await (await openDatabase(others.url, [dashboard])).database.close();
      await expect(open(others.url, 1)).rejects.toMatchObject({
        code: 'STORE_SCHEMA_TOO_NEW',
        message: expect.stringMatching(/It has the tables of the dashboard\. Give each service its own database/),
      });
      await expect(others.query('select 1 from schema_compatibility')).rejects.toMatchObject({
        message: expect.stringContaining('schema_compatibility'),
      });
      expect(await others.query('select version from schema_versions order by version')).toHaveLength(2);
      await others.remove();
    });
  });

  alertsContract(() => store);
  coverageContract(() => store);
  attestationContract(() => store);
  recordListContract(() => store);
  recordFactsContract(
    () => store,
    async (tenantId) => {
      await database.query(
        `update records set described = null, provider = null, model = null where tenant_id = '${tenantId}'`,
      );
    },
  );
  const another = (): Promise<Store> => open(database.url);
  auditContract(() => ({ store, database, another }));
  legalHoldContract(() => ({ store, another }));
  leaseContract(() => store);
  logContract(() => store);
  visibilityContract(() => store);
  projectContract(() => store);
  timestampContract(() => ({ store, database }));
  tenantContract(() => store);
  tenantSettingsContract(() => store);
  retentionContract(() => store);
}

function winnersOf(outcomes: readonly RecordOutcome[]): number {
  return outcomes.filter(({ recorded }) => recorded).length;
}

/** Executions without a record and full records without an execution; must be empty. */
export async function strays(database: TestDatabase): Promise<readonly unknown[]> {
  const lonely = await database.query(
    `select e.execution_id from executions e where not exists (
       select 1 from records r where r.tenant_id = e.tenant_id and r.certificate_hash = e.certificate_hash and r.kind = 'full')`,
  );
  const unclaimed = await database.query(
    `select r.execution_id from records r where r.kind = 'full' and not exists (
       select 1 from executions e where e.tenant_id = r.tenant_id and e.execution_id = r.execution_id
         and e.certificate_hash = r.certificate_hash)`,
  );
  return [...lonely, ...unclaimed];
}
