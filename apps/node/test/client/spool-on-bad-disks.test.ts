import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { certificates, type Certificates } from '@cer/client';
import { createNodeClient } from '@cer/client/node-client';
import { smallDisk, type SmallDisk } from '@cer/sql-store/testing';

import { MODEL_ANSWER, startModelServer, type ModelServer } from '../model-server.js';
import { startTestNode, type TestNode } from '../test-node.js';

let node: TestNode;
let key: string;
let models: ModelServer;
let isAway = false;
const folders: string[] = [];
const open: Certificates[] = [];

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
  models = await startModelServer();
});
afterEach(() => {
  jest.restoreAllMocks();
  isAway = false;
});
afterAll(async () => {
  models.close();
  await node.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The global fetch, with a switch that makes the node unreachable. */
const reaching: typeof fetch = async (input, init) => {
  if (isAway && typeof input === 'string' && input.startsWith(node.url)) throw new TypeError('fetch failed');
  return fetch(input, init);
};

interface Program {
  readonly cer: Certificates;
  /** The codes of the faults, each once, without that of an unreachable node. */
  readonly faults: () => readonly string[];
}

function program(dir: string, appId: string): Program {
  const faults = new Set<string>();
  const onError = (error: unknown): void => {
    const code = String(Reflect.get(Object(error) as object, 'code'));
    if (code !== 'UNREACHABLE') faults.add(code);
  };
  const cer = certificates({ appId, nodeUrl: node.url, apiKey: key, spoolDir: dir, fetch: reaching, onError });
  open.push(cer);
  return { cer, faults: () => [...faults] };
}

async function call(cer: Certificates, times = 1): Promise<void> {
  for (let made = 0; made < times; made += 1) {
    const body = JSON.stringify({ model: 'example-1', messages: [{ role: 'user', content: randomUUID() }] });
    expect(await (await cer.fetch()(models.completions, { method: 'POST', body })).text()).toBe(MODEL_ANSWER);
  }
}

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'cer-bad-disk-'));
  folders.push(made);
  return made;
}

const segments = (dir: string): string[] => readdirSync(dir).filter((name) => name.endsWith('.ndjson'));
const orphanName = (number: number): string => `${990_000_000 + number}-${'0'.repeat(16)}.ndjson`;

async function certified(appId: string): Promise<number> {
  const rows = await node.database.query(`select count(*) as n from records where app_id = '${appId}'`);
  return Number(rows[0]?.['n']);
}

/** Gives `work` its own file system, where this process may mount one. */
async function onDisk(work: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = smallDisk(1);
  if (disk === null) {
    process.stderr.write('Bad disks are not tested here: mounting needs root.\n');
    return;
  }
  try {
    await work(disk);
  } finally {
    for (const cer of open.splice(0)) await cer.close({ timeoutMs: 0 });
    disk.remove();
  }
}

/** A segment of a program that has ended, with `calls` bundles. */
async function leaveOrphan(dir: string, number: number, appId: string, calls: number): Promise<void> {
  const made = newFolder();
  isAway = true;
  const { cer } = program(made, appId);
  await call(cer, calls);
  await cer.close({ timeoutMs: 0 });
  isAway = false;
  const [name = ''] = segments(made);
  cpSync(join(made, name), join(dir, orphanName(number)));
}

describe('a program', () => {
  it('gets every answer and certificate on a full disk', () =>
    onDisk(async (disk) => {
      const { cer, faults } = program(disk.folder, 'full');
      isAway = true;
      await call(cer);
      disk.fill();
      await call(cer, 4);
      expect(cer.stats()).toMatchObject({ seen: 5, sealed: 5, dropped: 0, unsealed: 0, waiting: 5 });
      expect(faults()).toEqual(['ENOSPC']);
      disk.empty();
      await call(cer);
      isAway = false;
      expect(await cer.flush()).toEqual({ waiting: 0 });
      expect(cer.stats()).toMatchObject({ attested: 6, waiting: 0, dead: 0, torn: 0 });
      expect(await certified('full')).toBe(6);
    }));

  it('gets every answer and certificate with a read-only folder', () =>
    onDisk(async (disk) => {
      await leaveOrphan(disk.folder, 1, 'left', 2);
      execFileSync('mount', ['-o', 'remount,ro', disk.folder]);
      const { cer, faults } = program(disk.folder, 'read-only');
      await call(cer, 2);
      expect(await cer.flush()).toEqual({ waiting: 0 });
      expect(cer.stats()).toMatchObject({ sealed: 2, attested: 2, dropped: 0 });
      expect(faults()).toEqual(['EROFS']);
      expect([await certified('read-only'), await certified('left')]).toEqual([2, 0]);
      execFileSync('mount', ['-o', 'remount,rw', disk.folder]);
      const next = program(disk.folder, 'read-only');
      expect(await next.cer.flush()).toEqual({ waiting: 0 });
      expect(await certified('left')).toBe(2);
    }));

  it('sends bundles from a read-only disk, once', () =>
    onDisk(async (disk) => {
      await leaveOrphan(disk.folder, 1, 'became-read-only', 2);
      isAway = true;
      const { cer, faults } = program(disk.folder, 'became-read-only');
      expect(cer.stats()).toMatchObject({ adopted: 1, waiting: 2 });
      execFileSync('mount', ['-o', 'remount,ro', disk.folder]);
      await call(cer);
      isAway = false;
      expect(await cer.flush()).toEqual({ waiting: 0 });
      expect(cer.stats()).toMatchObject({ attested: 3, waiting: 0 });
      expect(faults()).toEqual(['EROFS']);
      expect(await certified('became-read-only')).toBe(3);
    }));

  it('gets every certificate when its folder is removed', async () => {
    const dir = newFolder();
    const { cer } = program(dir, 'removed');
    isAway = true;
    await call(cer, 2);
    rmSync(dir, { recursive: true });
    await call(cer, 2);
    expect(cer.stats()).toMatchObject({ sealed: 4, waiting: 4, dropped: 0 });
    isAway = false;
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(await certified('removed')).toBe(4);
    await cer.close();
  });

  it('reports removed segments and sends the others', async () => {
    const dir = newFolder();
    await leaveOrphan(dir, 1, 'gone', 2);
    isAway = true;
    const { cer, faults } = program(dir, 'not-gone');
    expect(cer.stats()).toMatchObject({ adopted: 1, waiting: 2 });
    for (const name of segments(dir)) rmSync(join(dir, name));
    await call(cer);
    isAway = false;
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(cer.stats()).toMatchObject({ attested: 1 });
    expect(faults()).toEqual(['ENOENT']);
    expect([await certified('gone'), await certified('not-gone')]).toEqual([0, 1]);
    await cer.close();
  });

  it('uses a folder that has an unreadable segment', async () => {
    const dir = newFolder();
    mkdirSync(join(dir, orphanName(1)));
    await leaveOrphan(dir, 2, 'readable', 1);
    const { cer, faults } = program(dir, 'readable');
    expect(cer.stats()).toMatchObject({ adopted: 1 });
    expect(faults()).toEqual(['EISDIR']);
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(readdirSync(dir)).toEqual([orphanName(1)]);
    await cer.close();
  });

  it('passes over a dead letter that cannot be written', async () => {
    const dir = newFolder();
    isAway = true;
    const { cer, faults } = program(dir, 'undead');
    await call(cer, 3);
    const [segment = ''] = segments(dir);
    const executionId = /"executionId":"([^"]+)"/.exec(readFileSync(join(dir, segment), 'utf8'))?.[1] ?? '';
    const other = createNodeClient({ nodeUrl: node.url, apiKey: key });
    await other.certify({ provider: 'p', model: 'm', input: 'other', output: 'other', executionId });
    // A folder in its place: no bundle can be appended.
    mkdirSync(join(dir, 'dead.ndjson'));
    isAway = false;
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(cer.stats()).toMatchObject({ attested: 2, dead: 1, waiting: 0 });
    expect(faults()).toEqual(['EISDIR']);
    await call(cer);
    expect(await cer.flush()).toEqual({ waiting: 0 });
    await cer.close();
    rmSync(join(dir, 'dead.ndjson'), { recursive: true });
    expect(segments(dir)).toEqual([segment]);
    renameSync(join(dir, segment), join(dir, orphanName(1)));
    const next = program(dir, 'undead');
    expect(await next.cer.flush()).toEqual({ waiting: 0 });
    await next.cer.close();
    expect(next.cer.stats()).toMatchObject({ adopted: 1, attested: 2, dead: 1 });
    expect(readFileSync(join(dir, 'dead.ndjson'), 'utf8')).toContain(executionId);
    expect(segments(dir)).toEqual(['dead.ndjson']);
    expect(await certified('undead')).toBe(3);
  });

  it('has two clients while the clock is set forward', async () => {
    const dir = newFolder();
    isAway = true;
    const first = program(dir, 'two-clients');
    await call(first.cer);
    const later = Date.now() + 3_600_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    const second = program(dir, 'two-clients');
    jest.restoreAllMocks();
    expect(second.cer.stats()).toMatchObject({ adopted: 0, waiting: 0 });
    await call(first.cer);
    isAway = false;
    for (const { cer } of [second, first]) expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(await certified('two-clients')).toBe(2);
    for (const { cer } of [second, first]) await cer.close();
  });

  it('shares its folder with three others started and killed concurrently', async () => {
    const dir = newFolder();
    for (let left = 0; left < 6; left += 1) await leaveOrphan(dir, left, 'orphans', 2);
    const answered = (await Promise.all([1, 2, 3, 4].map((n) => killedAfter(dir, n * 1000)))).flat();
    expect(answered.length).toBeGreaterThanOrEqual(4 * 5);
    const last = program(dir, 'last');
    expect(await last.cer.flush({ timeoutMs: 60_000 })).toEqual({ waiting: 0 });
    await last.cer.close();
    expect(last.cer.stats()).toMatchObject({ dead: 0, errors: 0 });
    expect(await certified('orphans')).toBe(12);
    expect(await certified('killed')).toBeGreaterThanOrEqual(answered.length);
    expect(segments(dir)).toEqual([]);
  });
});

/** Runs a program on the folder until five of its calls are answered. @returns the numbers of these calls */
async function killedAfter(dir: string, first: number): Promise<number[]> {
  const child = spawn(process.execPath, [join(__dirname, 'killed-producer.mjs')], {
    env: {
      PATH: process.env['PATH'],
      ...{ MODEL_URL: models.completions, FIRST: String(first) },
      ...{ CER_NODE_URL: node.url, CER_API_KEY: key, CER_SPOOL_DIR: dir },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.split('\n').length > 5) child.kill('SIGKILL');
  });
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
  return said.split('\n').slice(0, -1).map(Number);
}
