import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sqliteTestDatabase } from '@cer/sql-store/testing';

import { openStore, type NewRecord, type Store } from '../../src/store/index.js';
import { newProject } from './new-project.js';
import { newRecord } from './new-record.js';
import { WAYS_OF_WRITING } from './writer-thread.js';

type SqliteTestDatabase = Awaited<ReturnType<typeof sqliteTestDatabase>>;

/** All bytes of the database on disk: the file, its write-ahead log and the log's index. */
const bytesIn = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');

/** A mark in every column that deletion erases, twice in the longest. */
function marked(mark: string, length: number, members: Partial<NewRecord> = {}): NewRecord {
  const bundleJson = JSON.stringify({ mark, filler: 'x'.repeat(length), end: mark });
  const json = JSON.stringify({ mark });
  return newRecord({ bundleJson, metaJson: json, publicCerJson: json, appId: mark, ...members });
}

describe.each(WAYS_OF_WRITING)('a deleted record on SQLite, which writes %s,', (_name, options) => {
  let database: SqliteTestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await sqliteTestDatabase();
    store = await openStore({ databaseUrl: database.url, queueLimit: 10_000, ...options });
  });
  afterEach(async () => {
    await store.close();
    await database.remove();
  });
  const bytes = (): string => bytesIn(dirname(database.path));
  const logBytes = (): number => statSync(`${database.path}-wal`).size;

  it.each([100, 10_000, 100_000])('leaves no byte, with content of %d characters', async (length) => {
    const record = marked('canary', length);
    await Promise.all([record, newRecord(), newRecord()].map((row) => store.records.recordOnce(row)));
    expect(bytes()).toContain('canary');
    await store.records.setVisibility(record.certificateHash, 'deleted');
    expect(bytes()).not.toContain('canary');
    expect(bytes()).toContain(record.certificateHash);
  });

  it('leaves no byte of a deleted project', async () => {
    const project = newProject({ projectJson: '{"mark":"canary"}', receiptJson: '{"mark":"canary"}' });
    await store.projects.registerOnce(project);
    const [found] = await store.timestamps.untimestampedProjects(0, 1);
    await store.timestamps.keepOfProjects([{ seq: found?.seq ?? 0, timestampsJson: '["a canary token"]' }]);
    expect(bytes()).toContain('a canary token');
    await store.projects.setVisibility(project.projectHash, 'deleted');
    expect(bytes()).not.toContain('canary');
    expect(bytes()).toContain(project.projectHash);
  });

  it('leaves no byte after a sweep either', async () => {
    const records = Array.from({ length: 30 }, (_, index) =>
      marked(`canary-${index}`, index * 700, { tenantId: 'swept' }),
    );
    await Promise.all([...records, newRecord()].map((row) => store.records.recordOnce(row)));
    expect(bytes()).toContain('canary');
    const { due } = await store.retention.due('records', 'swept', '2027-01-01T00:00:00.000Z', null);
    expect(await store.retention.deleteDue('records', due, 1)).toBe(30);
    await store.compact();
    expect(bytes()).not.toContain('canary');
  });

  it('leaves no byte after a crash before the checkpoint', async () => {
    const record = marked('canary', 10_000);
    await store.records.recordOnce(record);
    // A reader prevents emptying the log, so the files are like those after a crash.
    const reader = new Sqlite(database.path);
    reader.exec('begin; select count(*) from records');
    await store.records.setVisibility(record.certificateHash, 'deleted');
    expect(bytes()).toContain('canary');
    const crashed = mkdtempSync(join(tmpdir(), 'cer-crashed-'));
    cpSync(dirname(database.path), crashed, { recursive: true });
    reader.close();

    const next = await openStore({ databaseUrl: `sqlite:${join(crashed, 'test.sqlite')}`, queueLimit: 1, ...options });
    expect(bytesIn(crashed)).not.toContain('canary');
    expect(await next.records.findExecution('tenant-a', record.executionId ?? '')).toMatchObject({ record: null });
    await next.close();
    rmSync(crashed, { recursive: true });
  });

  it('leaves the log once no process reads it', async () => {
    const record = marked('canary', 10_000);
    await store.records.recordOnce(record);
    const reader = new Sqlite(database.path);
    reader.exec('begin; select count(*) from records');
    await store.records.setVisibility(record.certificateHash, 'deleted');
    expect(bytes()).toContain('canary');
    reader.close();
    while (bytes().includes('canary')) await sleep(20);
  });

  it('leaves no copy in old pages after a rewrite', async () => {
    const mark = (index: number): string => `canary-${index}-`;
    const records = Array.from({ length: 1_500 }, (_, index) =>
      marked(mark(index), (index * 37) % 4_000, { tenantId: 'swept' }),
    );
    await Promise.all(records.map((row) => store.records.recordOnce(row)));
    const seqs = new Map(
      (await database.query('select seq, certificate_hash from records')).map((row) => [
        row['certificate_hash'],
        Number(row['seq']),
      ]),
    );
    // In random order, so that pages are merged and rows move.
    const order = records.map((_, index) => (index * 661) % records.length);
    const deleted = order.slice(0, 1_350);
    for (let start = 0; start < deleted.length; start += 30) {
      const due = deleted.slice(start, start + 30).map((index) => {
        const hash = records[index]?.certificateHash ?? '';
        return { hash, seq: seqs.get(hash) ?? 0 };
      });
      expect(await store.retention.deleteDue('records', due, 1)).toBe(30);
    }
    while ((await database.query('pragma user_version'))[0]?.['user_version'] !== 0) await sleep(50);
    // The thread still moves the rewritten pages from the log to the file. The log is empty once all are there.
    while (logBytes() > 0) await sleep(50);
    expect(await database.query('pragma freelist_count')).toEqual([{ freelist_count: 0 }]);
    const found = bytes();
    expect(deleted.filter((index) => found.includes(mark(index)))).toEqual([]);
    expect(order.slice(1_350).filter((index) => !found.includes(mark(index)))).toEqual([]);
    expect(await database.query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('has the file rewritten on close', async () => {
    const record = marked('canary', 10_000);
    await Promise.all([record, newRecord()].map((row) => store.records.recordOnce(row)));
    await store.records.setVisibility(record.certificateHash, 'deleted');
    await store.close();
    expect(await database.query('pragma user_version')).toEqual([{ user_version: 0 }]);
    expect(bytes()).not.toContain('canary');
  });
});
