import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '@cer/sql-store/testing';
import { until } from '../../../apps/node/test/timestamps/timestamping-node.js';
import { LoggedOperator, type Account } from './logged-operator.js';

// A node with a log, a real witness, and an operator who changes the database. The monitor, the auditor's package or the
// holder's verifier reports each change; without a change, nothing is reported.

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const operator = new LoggedOperator();
const hashes = { kept: '', deleted: '', dated: '', again: '', filed: '', unlogged: '' };
let earlier: TestDatabase;
let main: Account;
let added: Account;
let dated: Account;
let again: Account;
let filed: Account;
let unlogged: Account;

const query = (sql: string): Promise<unknown> => operator.database.query(sql);
const certify = (by: Account, members = {}): Promise<string> => operator.node.certify(members, by.key);
const newest = '(select max(leaf_id) from log_leaves)';

beforeAll(async () => {
  operator.aheadMs = -2 * DAY_MS;
  await operator.open();
  [main, added, dated, again, filed, unlogged] = await Promise.all([
    operator.account(),
    operator.account(),
    operator.account(),
    operator.account(),
    operator.account(),
    operator.account(),
  ]);
  operator.aheadMs = 0;
  hashes.kept = await certify(main);
  hashes.deleted = await certify(main);
  await certify(dated);
  await operator.publish(3);
  earlier = await operator.copy();
  await certify(main, { appId: 'one' });
  await operator.delete(hashes.deleted);
  // Acts of an operator before any leaf is in the tree.
  operator.aheadMs = -DAY_MS;
  hashes.dated = await certify(dated);
  operator.aheadMs = 0;
  hashes.again = await certify(again);
  await query(
    `update log_leaves set label_json = replace(label_json, '"certificate"', '"again"') where leaf_id = ${newest}`,
  );
  hashes.filed = await certify(filed, { appId: 'one' });
  await query(`update log_leaves set label_json = replace(label_json, '"one"', '"other"') where leaf_id = ${newest}`);
  await certify(added);
  await query(
    `insert into log_leaves (tenant_id, source, source_seq, label_json, digest, seed)
     select tenant_id, source, -1, label_json, randomblob(32), randomblob(32) from log_leaves where leaf_id = ${newest}`,
  );
  await certify(unlogged);
  hashes.unlogged = await certify(unlogged);
  await operator.dropTriggers();
  await query(`delete from log_leaves where leaf_id = ${newest}`);
  operator.aheadMs = 2 * HOUR_MS;
  await operator.integrate();
});

afterAll(async () => {
  await operator.close();
  await earlier.remove();
});

async function codesOf(account: Account, ...filters: readonly string[]): Promise<string[]> {
  const { findings } = await operator.package(account, ...filters);
  return [...new Set(findings.map(({ code }) => code))];
}

describe('with nothing changed', () => {
  it('the monitor is silent, also about an account', async () => {
    expect(await operator.alarms(main)).toEqual([]);
  });

  it('the package of a real node proves every number', async () => {
    const report = await operator.package(main);
    expect(report).toMatchObject({ status: 'VERIFIED', findings: [] });
    expect(report.log).toMatchObject({ status: 'proven', numbers: [1, 4], certificates: 2, deleted: 1, elsewhere: 0 });
    expect(report.text).toContain('Numbers 1 to 4 of this tenant; 1 was deleted, nothing of it is known.');
    const ofApp = await operator.package(main, '--app-id', 'one');
    expect(ofApp).toMatchObject({ status: 'VERIFIED', log: { status: 'proven', certificates: 1, elsewhere: 1 } });
  });

  it('a holder verifies a witnessed proof without a network', async () => {
    expect(await operator.holder(hashes.kept)).toMatchObject({ status: 'included', code: null, witnesses: ['w'] });
    expect(await operator.holder(hashes.kept, main)).toMatchObject({ status: 'included', code: null });
    const { url, policyFile } = operator;
    const record = operator.write(
      'record.json',
      await (await fetch(`${url}/v1/cer/public?certificate_hash=${encodeURIComponent(hashes.kept)}`)).text(),
    );
    const proof = operator.write(
      'proof.json',
      (await operator.cer(['log', 'proof', hashes.kept, '--node', url])).stdout,
    );
    const attached = await operator.cer(['log', 'attach', record, '--proof', proof]);
    const keys = operator.write('keys.json', await (await fetch(`${url}/.well-known/svc-node.json`)).text());
    const flags = ['--keys', keys, '--log-policy', policyFile, '--require-log'];
    const said = await operator.cer(['verify', operator.write('logged.json', attached.stdout), ...flags]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('the mirror keeps a whole copy', async () => {
    const copy = join(operator.folder, 'copy');
    const said = await operator.cer(['log', 'mirror', operator.url, copy, '--log-policy', operator.policyFile]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    const size = Number(readFileSync(join(copy, 'log/checkpoint'), 'utf8').split('\n')[1]);
    expect(existsSync(join(copy, `log/tile/entries/000.p/${String(size)}`))).toBe(true);
    expect(existsSync(join(copy, 'log/epochs/checkpoint'))).toBe(true);
  });
});

describe('before the tree, an operator', () => {
  it('dates a certificate back a day', async () => {
    expect(await operator.holder(hashes.dated)).toMatchObject({ status: 'invalid', code: 'LOG_BACKDATED' });
    expect(await codesOf(dated)).toEqual(['LOG_BACKDATED']);
  });

  it('files a certificate as attested again', async () => {
    expect(await operator.holder(hashes.again, again)).toMatchObject({ code: 'LOG_LABEL_MISMATCH' });
  });

  it('files a certificate under another app', async () => {
    expect(await operator.holder(hashes.filed, filed)).toMatchObject({ code: 'LOG_LABEL_MISMATCH' });
    expect(await codesOf(filed, '--app-id', 'one')).toEqual(['LOG_RECORD_UNLOGGED']);
  });

  it('adds a leaf without a record', async () => {
    expect(await codesOf(added)).toEqual(['LOG_RECORD_MISSING']);
  });

  it('keeps a receipt out of the log', async () => {
    expect(await operator.holder(hashes.unlogged)).toMatchObject({ status: 'absent', code: 'LOG_PROOF_MISSING' });
    expect(await operator.alarms(unlogged)).toEqual(['LOG_RECORD_UNLOGGED']);
  });
});

describe('after witnesses saw the tree, an operator', () => {
  const dropRecord = (hash: string): string => `delete from records where certificate_hash = '${hash}'`;
  const mainId = (): string => `(select tenant_id from records where certificate_hash = '${hashes.kept}')`;

  it('drops a record', async () => {
    await operator.whileChanged(['records'], dropRecord(hashes.kept), async () => {
      expect(await codesOf(main)).toEqual(['LOG_RECORD_MISSING']);
      expect(await operator.alarms(main)).toEqual(['LOG_RECORD_MISSING']);
    });
  });

  it('drops a certificate that was filed as attested again', async () => {
    await operator.whileChanged(['records'], dropRecord(hashes.again), async () => {
      expect(await codesOf(again)).toEqual(['LOG_RECORD_MISSING']);
    });
  });

  it('calls a record deleted without a logged deletion', async () => {
    const sql = `update log_leaves set seed = null, digest = null, label_json = null where number = 1
      and tenant_id = ${mainId()}`;
    await operator.whileChanged(['log_leaves'], sql, async () => {
      expect(await codesOf(main)).toContain('LOG_RECORD_MISSING');
    });
  });

  it('swaps a leaf', async () => {
    const sql =
      'update log_leaves set entry = (select l.entry from log_leaves l where l.log_index = 2) where log_index = 1';
    await operator.whileChanged(['log_leaves'], sql, async () => {
      expect(await operator.alarms()).toContain('LOG_CONTENT_INVALID');
      expect(await operator.holder(hashes.kept)).toMatchObject({ code: 'LOG_INCLUSION_INVALID' });
    });
  });

  it('removes a leaf', async () => {
    await operator.whileChanged(['log_leaves'], 'delete from log_leaves where log_index = 1', async () => {
      expect(await operator.alarms()).toContain('LOG_UNAVAILABLE');
    });
  });

  it('shows a second tree of a tenant', async () => {
    const sql = 'update log_epoch_heads set root = randomblob(32)';
    await operator.whileChanged(['log_epoch_heads'], sql, async () => {
      expect(await codesOf(main)).toContain('LOG_HEAD_INVALID');
    });
  });

  it('shows a second epoch', async () => {
    const sql = `update log_epochs set entry = cast(replace(cast(entry as text), '"size":', '"size":1') as blob)`;
    await operator.whileChanged(['log_epochs'], sql, async () => {
      expect(await operator.alarms()).toContain('LOG_CONTENT_INVALID');
      expect(await codesOf(main)).toContain('LOG_EPOCH_INVALID');
    });
  });
});

describe('an operator with a second history', () => {
  it('is found by the monitor with both signed checkpoints', async () => {
    const state = join(operator.folder, 'state-of-fork');
    expect(await operator.alarms(null, state)).toEqual([]);
    const fork = await operator.fork(earlier, 'quorum none\n');
    const key = await fork.node.newKey();
    for (let count = 0; count < 12; count += 1) await fork.certify({}, key);
    const worker = fork.start();
    await until(
      async () => (await fork.node.store.logNotes.newestPublished(fork.setup.log.receipts.logId))?.size,
      (size) => size === 15,
    );
    await worker.stop();
    const watch = async (policy: string): Promise<readonly { code: string; evidence?: readonly string[] }[]> => {
      const said = await operator.cer(['log', 'monitor', fork.node.url, '--log-policy', policy], state);
      return said.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { code: string; evidence?: readonly string[] });
    };
    const trusting = operator.write('trusting.txt', fork.policy());
    const [alarm] = await watch(trusting);
    expect(alarm).toMatchObject({ code: 'LOG_SPLIT_VIEW' });
    expect(alarm?.evidence?.map((note) => note.split('\n')[0])).toEqual(['node.example/log', 'node.example/log']);
    expect((await watch(operator.policyFile)).map(({ code }) => code)).toContain('LOG_QUORUM_NOT_MET');
    await fork.close();
  });

  it('gets no checkpoint from the witness, and certifies on', async () => {
    const restored = await operator.fork(earlier, operator.witnessLine);
    const worker = restored.start();
    const ready = async (): Promise<string> => (await fetch(`${restored.node.url}/ready`)).text();
    await until(ready, (text) => text.includes('LOG_ROLLED_BACK'));
    expect(await restored.certify({}, await restored.node.newKey())).toMatch(/^sha256:/);
    await worker.stop();
    await restored.close();
  });
});
