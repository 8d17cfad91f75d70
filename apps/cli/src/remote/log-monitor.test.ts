import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet } from '@cer/keys/testing';
import { TestLog, testPolicy, TestWitness } from '@cer/tlog/testing';
import { parseTilePath } from '@cer/tlog/tiles';
import { packageEntries, packageRecord, type PackageRecord } from '../testing/audit-package.js';
import { cer, type Said } from '../testing/console.js';
import { Folder } from '../testing/files.js';
import { LocalServers } from '../testing/local-servers.js';
import { LoggedTenant } from '../testing/logged-tenant.js';
import { rawZip } from '../testing/raw-zip.js';
import { serveLogs, serveWitnessed, type ServedLog } from '../testing/served-log.js';

/** The clock of the command. */
const NOW = Math.floor(new Date('2026-03-01T00:00:00.000Z').getTime() / 1000);
const ORIGIN = 'node.example/log';
const w1 = new TestWitness('w1');
const servers = new LocalServers();
let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => {
  folder.remove();
});
afterAll(() => servers.close());

function grown(size: number, seed = 0): TestLog {
  const log = new TestLog(ORIGIN);
  log.appendMany(size, seed);
  return log;
}

interface View {
  log: TestLog;
  size?: number;
  /** Of the newest cosignature. */
  time?: number;
  cosigned?: boolean;
  instead?: ServedLog['instead'];
  /** What the witness saw, when another tree or size. */
  seen?: TestLog;
  evidence?: readonly object[];
}

/** A node whose view a test changes, and one witness; runs the monitor once. */
async function watched(view: View): Promise<{ run: () => Promise<Said & { alarms: unknown[] }>; node: string }> {
  const cosigners = (): [TestWitness, number][] => (view.cosigned === false ? [] : [[w1, view.time ?? NOW - 60]]);
  const node = await servers.serve(
    serveLogs(() => [
      {
        log: view.log,
        prefix: '/log',
        checkpoint: () => view.log.checkpoint(view.size ?? view.log.size, cosigners()),
        ...(view.instead !== undefined && { instead: view.instead }),
      },
    ]),
  );
  const witness = await servers.serve(
    serveWitnessed(ORIGIN, () => {
      const seen = view.seen ?? view.log;
      const size = view.seen === undefined ? (view.size ?? seen.size) : seen.size;
      const note = seen.checkpoint(size, [[w1, view.time ?? NOW - 60]]);
      return { note, ...(view.evidence !== undefined && { evidence: view.evidence }) };
    }),
  );
  const policy = folder.write('policy.txt', testPolicy([view.log], [w1]).replace(w1.vkey, `${w1.vkey} ${witness}`));
  const run = async (): Promise<Said & { alarms: unknown[] }> => {
    const env = { XDG_STATE_HOME: folder.file('state') };
    const said = await cer(['log', 'monitor', node, '--log-policy', policy], { env });
    const alarms = said.stdout.split('\n').filter((line) => line !== '');
    return { ...said, alarms: alarms.map((line): unknown => JSON.parse(line)) };
  };
  return { run, node };
}

describe('cer log monitor', () => {
  it('raises no alarm while a log grows correctly', async () => {
    const view: View = { log: grown(700), size: 10 };
    const { run } = await watched(view);
    for (const size of [10, 256, 257, 700, 700]) {
      view.size = size;
      expect(await run()).toMatchObject({ exitCode: 0, alarms: [] });
    }
  });

  it('reports a split view with both signed checkpoints', async () => {
    const view: View = { log: grown(20) };
    const { run } = await watched(view);
    await run();
    view.log = grown(30, 5);
    for (const again of [1, 2]) {
      const { exitCode, alarms } = await run();
      expect({ again, exitCode, alarms }).toMatchObject({ exitCode: 1, alarms: [{ code: 'LOG_SPLIT_VIEW' }] });
      expect((alarms[0] as { evidence: string[] }).evidence).toHaveLength(2);
    }
  });

  it('finds another root at the size that it accepted', async () => {
    const view: View = { log: grown(20) };
    const { run } = await watched(view);
    await run();
    view.log = grown(20, 5);
    expect((await run()).alarms).toMatchObject([{ code: 'LOG_SPLIT_VIEW' }]);
  });

  it('finds a log that was rolled back', async () => {
    const view: View = { log: grown(20) };
    const { run } = await watched(view);
    await run();
    view.size = 19;
    expect((await run()).alarms).toMatchObject([{ code: 'LOG_ROLLED_BACK' }]);
  });

  it('finds swapped, changed and resized entries', async () => {
    const log = grown(20);
    for (const change of [
      (bytes: Uint8Array) => bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
      (bytes: Uint8Array) => Uint8Array.of(...bytes.subarray(35, 70), ...bytes.subarray(0, 35), ...bytes.subarray(70)),
    ]) {
      const bundle = log.tile({ level: 'entries', index: 0, width: 20 }) ?? new Uint8Array(0);
      const { run } = await watched({ log, instead: (path) => (path.includes('entries') ? change(bundle) : null) });
      expect((await run()).alarms).toMatchObject([{ code: 'LOG_CONTENT_INVALID' }]);
    }
    const long = grown(3);
    long.append(new Uint8Array(34));
    const { run } = await watched({ log: long });
    expect((await run()).alarms).toMatchObject([{ code: 'LOG_CONTENT_INVALID' }]);
  });

  it('finds tiles that contradict the signed root', async () => {
    const log = grown(20);
    const tile = log.tile({ level: 0, index: 0, width: 20 }) ?? new Uint8Array(0);
    const changed = tile.map((byte, at) => (at === 3 ? byte ^ 1 : byte));
    const { run } = await watched({ log, instead: (path) => (path.startsWith('tile/0/') ? changed : null) });
    expect((await run()).alarms).toMatchObject([{ code: 'LOG_CONTENT_INVALID' }]);
  });

  it('finds that a witness saw another tree', async () => {
    const { run } = await watched({ log: grown(20), seen: grown(18, 5) });
    expect((await run()).alarms).toMatchObject([{ code: 'LOG_SPLIT_VIEW', detail: expect.stringContaining('w1') }]);
  });

  it('reports the proof that a witness keeps', async () => {
    const { run } = await watched({ log: grown(20), evidence: [{ note: 'one\n', known: 'other\n' }] });
    expect((await run()).alarms).toMatchObject([{ code: 'LOG_SPLIT_VIEW', evidence: ['one\n', 'other\n'] }]);
  });

  it('finds that the log hides an old witnessed checkpoint', async () => {
    const view: View = { log: grown(20), size: 15, time: NOW - 7300 };
    view.seen = grown(20);
    const { alarms } = await (await watched(view)).run();
    expect(alarms).toMatchObject([
      { code: 'LOG_STALE' },
      { code: 'LOG_STALE', detail: expect.stringContaining('w1 saw 20') },
    ]);
  });

  it('reports a stale log and one without a quorum', async () => {
    const stale = await watched({ log: grown(20), time: NOW - 7201 });
    expect((await stale.run()).alarms).toMatchObject([{ code: 'LOG_STALE' }]);
    const alone = await watched({ log: grown(20), cosigned: false });
    expect((await alone.run()).alarms).toMatchObject([{ code: 'LOG_QUORUM_NOT_MET' }]);
  });

  it('reports an unavailable log and a missing policy', async () => {
    const policy = folder.write('policy.txt', testPolicy([grown(1)], []));
    const env = { XDG_STATE_HOME: folder.file('state') };
    const said = await cer(['log', 'monitor', 'http://127.0.0.1:9', '--log-policy', policy], { env });
    expect(said.exitCode).toBe(1);
    expect(JSON.parse(said.stdout)).toMatchObject({ code: 'LOG_UNAVAILABLE' });
    expect(await cer(['log', 'monitor', 'http://127.0.0.1:9'], { env })).toMatchObject({ exitCode: 3 });
  });

  it.each([0, 1])('finds tile %i and its entries of another log', async (tile) => {
    const [log, other] = [grown(600), grown(600, 5)];
    const forged = [`tile/0/00${tile}`, `tile/entries/00${tile}`];
    const instead = (path: string): Uint8Array | null =>
      forged.includes(path) ? other.tile(parseTilePath(path)) : null;
    const view: View = { log, size: 256, instead };
    const { run } = await watched(view);
    if (tile > 0) expect(await run()).toMatchObject({ exitCode: 0 });
    view.size = 600;
    expect((await run()).alarms).toMatchObject([{ code: 'LOG_CONTENT_INVALID' }]);
  });
});

describe('cer log mirror', () => {
  it('writes a copy that the monitor can watch', async () => {
    const view: View = { log: grown(600) };
    const { node } = await watched(view);
    const policy = folder.write('plain.txt', testPolicy([view.log], [w1]));
    const target = folder.file('copy');
    const said = await cer(['log', 'mirror', node, target, '--log-policy', policy]);
    expect(said).toMatchObject({ exitCode: 0, stdout: `${ORIGIN}: 600 entries\n` });
    for (const path of ['tile/0/000', 'tile/0/002.p/88', 'tile/1/000.p/2', 'tile/entries/001', 'checkpoint']) {
      expect({ path, isThere: existsSync(`${target}/log/${path}`) }).toEqual({ path, isThere: true });
    }
    const copy = await servers.serve((request, response) => {
      response.end(readFileSync(`${target}${request.url ?? ''}`));
    });
    const env = { XDG_STATE_HOME: folder.file('state') };
    const again = await cer(['log', 'monitor', copy, '--log-policy', policy], { env });
    expect(again).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('keeps its last good checkpoint when a witness saw another tree', async () => {
    const view: View = { log: grown(20), size: 10 };
    const { node } = await watched(view);
    const target = folder.file('copy');
    const mirror = (): Promise<Said> => cer(['log', 'mirror', node, target, '--log-policy', folder.file('policy.txt')]);
    expect((await mirror()).exitCode).toBe(0);
    const good = readFileSync(`${target}/log/checkpoint`, 'utf8');
    Object.assign(view, { size: 20, seen: grown(18, 5) });
    expect(await mirror()).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('LOG_SPLIT_VIEW'),
    });
    expect(readFileSync(`${target}/log/checkpoint`, 'utf8')).toBe(good);
  });
});

describe('a monitor with the key of an account', () => {
  it.each([
    ['nothing, while all fits', 'none'],
    ['a record that was dropped', 'LOG_RECORD_MISSING'],
    ['a record that was never logged', 'LOG_RECORD_UNLOGGED'],
    ['an epoch over another receipts log', 'LOG_CONTENT_INVALID'],
  ])('finds %s', async (_, code) => {
    const made = await Promise.all(['a', 'b', 'c'].map((id) => packageRecord(id)));
    const hashOf = ({ receipt }: PackageRecord): string => JSON.stringify(receipt['certificateHash']);
    const records = made.sort((one, other) => (hashOf(one) < hashOf(other) ? -1 : 1));
    const tenant = new LoggedTenant();
    for (const record of code === 'LOG_RECORD_UNLOGGED' ? records.slice(1) : records) tenant.log(record);
    tenant.endEpoch(3);
    const receipts = code === 'LOG_CONTENT_INVALID' ? grown(9, 3) : tenant.receipts;
    const time = NOW - 60;
    const entries = await packageEntries(code === 'LOG_RECORD_MISSING' ? records.slice(1) : records, {
      more: [
        { name: 'log/completeness.json', content: JSON.stringify(await tenant.completeness([w1])) },
        {
          name: 'log/openings/000001.ndjson',
          content: tenant
            .openings()
            .map((line) => `${JSON.stringify(line)}\n`)
            .join(''),
        },
      ],
    });
    const logs = serveLogs(() => [
      { log: receipts, prefix: '/log', checkpoint: () => receipts.checkpoint(receipts.size, [[w1, time]]) },
      {
        log: tenant.epochs,
        prefix: '/log/epochs',
        checkpoint: () => tenant.epochs.checkpoint(tenant.epochs.size, [[w1, time]]),
      },
    ]);
    const keySet = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] });
    const node = await servers.serve((request, response) => {
      if (request.url?.startsWith('/v1/records/export') === true) response.end(rawZip(entries));
      else if (request.url === '/.well-known/svc-node.json') response.end(JSON.stringify(keySet));
      else logs(request, response);
    });
    const policy = folder.write('policy.txt', testPolicy([receipts, tenant.epochs], [w1]));
    const key = folder.write('key', 'a-key-of-the-tests');
    const env = { XDG_STATE_HOME: folder.file('state') };
    const said = await cer(['log', 'monitor', node, '--log-policy', policy, '--api-key-file', key], { env });
    const codes = said.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { code: string }).code);
    expect({ codes, exitCode: said.exitCode }).toEqual(
      code === 'none' ? { codes: [], exitCode: 0 } : { codes: [code], exitCode: 1 },
    );
  });
});
