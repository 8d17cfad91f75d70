import { afterEach, describe, expect, it } from '@jest/globals';
import { auditEntryHash, canonicalAuditHead, type AuditEntry } from '@cer/cer-core/logs';
import { TEST_NODE_ID, TEST_SIGNER, TEST_TIME } from '@cer/cer-core/testing';
import { encodeBase64Url } from '@cer/keys';
import { testKeySet } from '@cer/keys/testing';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { cer } from '../testing/console.js';
import { LocalServers } from '../testing/local-servers.js';

const servers = new LocalServers();
afterEach(() => servers.close());

const folder = mkdtempSync(join(tmpdir(), 'cer-audit-'));
const file = (name: string, value: unknown): string => {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
};
const keys = file('keys.json', testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] }));

async function page(act: string): Promise<{ entries: object[]; head: object }> {
  const details = {};
  const entry: AuditEntry = {
    seq: 1,
    prevHash: null,
    at: TEST_TIME,
    act,
    target: null,
    actor: 'a',
    requestId: null,
    details,
  };
  const end = { nodeId: TEST_NODE_ID, seq: 1, hash: auditEntryHash(entry), kid: TEST_SIGNER.kid };
  const signature = encodeBase64Url(await TEST_SIGNER.sign(new TextEncoder().encode(canonicalAuditHead(end))));
  return { entries: [{ entry, hash: end.hash, kid: end.kid, signature }], head: { ...end, signature } };
}

describe('cer admin audit verify', () => {
  const verify = (log: string, ...more: string[]): ReturnType<typeof cer> =>
    cer(['admin', 'audit', 'verify', log, '--keys', keys, ...more]);

  it('distinguishes complete, changed, unsigned, foreign and empty logs', async () => {
    const whole = await page('records.hide');
    expect(await verify(file('whole', whole))).toMatchObject({ exitCode: 0, stderr: '' });

    const changed = JSON.stringify(whole).replace('records.hide', 'records.show');
    const broken = await verify(file('changed', JSON.parse(changed)));
    expect(broken.exitCode).toBe(1);
    expect(JSON.parse(broken.stderr)).toMatchObject({
      status: 'FAILED',
      checks: {},
      reason: 'AUDIT_HASH_MISMATCH',
      code: 'AUDIT_HASH_MISMATCH',
      seq: 1,
    });

    const unsigned = await verify(file('unsigned', { ...whole, head: null }));
    expect(JSON.parse(unsigned.stderr)).toMatchObject({ code: 'AUDIT_HEAD_UNSIGNED' });

    const seen = file('head', (await page('records.delete')).head);
    const other = await verify(file('whole', whole), '--head', seen);
    expect(JSON.parse(other.stderr)).toMatchObject({ code: 'AUDIT_REWRITTEN' });

    const empty = file('empty', { entries: [], head: null });
    expect((await verify(empty)).exitCode).toBe(2);
    const cut = await verify(empty, '--head', seen);
    expect(cut.exitCode).toBe(1);
    expect(JSON.parse(cut.stderr)).toMatchObject({ code: 'AUDIT_TRUNCATED' });
  });

  it('reads the lines that the node answers as format=ndjson', async () => {
    const { entries, head } = await page('records.hide');
    const [row] = entries;
    const end = file('end', head);
    const said = await verify(file('lines', row), '--head', end);
    expect([said.exitCode, said.stderr]).toEqual([0, '']);
    expect(JSON.parse(said.stdout)).toEqual({ status: 'VERIFIED', entries: 1, head });

    const changed = JSON.stringify(row).replace('records.hide', 'records.show');
    const broken = await verify(file('changed-lines', JSON.parse(changed)), '--head', end);
    expect([broken.exitCode, JSON.parse(broken.stderr)]).toMatchObject([1, { code: 'AUDIT_HASH_MISMATCH', seq: 1 }]);
  });

  it('unpacks a log that is kept as gzip', async () => {
    const packed = join(folder, 'log.ndjson.gz');
    writeFileSync(packed, gzipSync(JSON.stringify(await page('records.hide'))));
    expect(await verify(packed)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('raises no alarm about a file that is no audit log', async () => {
    const head = file('head-of-log', (await page('records.hide')).head);
    const other = join(folder, 'other');
    for (const text of ['{}', '[]', '{\n  "entries": []\n}', '{"resourceLogs":[]}', 'x']) {
      writeFileSync(other, `{"entries":[],"head":null}\n${text}\n`);
      const said = await verify(other, '--head', head);
      const rule = 'line 2 is not one answer of GET /v1/admin/audit, nor one line of its format=ndjson';
      expect(said).toEqual({ exitCode: 3, stdout: '', stderr: `cer: ${other}: ${rule}\n` });
    }
  });

  it.each([
    ['leads back', { next: 0 }],
    ['repeats its cursor', { entries: [], next: 1 }],
  ])('stops at a node whose log %s', async (_, members) => {
    const whole = await page('records.hide');
    let asked = 0;
    const node = await servers.serve((_request, response) => {
      asked += 1;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...whole, ...members }));
    });
    const secret = file('secret', 'x'.repeat(20));
    const said = await cer(
      ['admin', 'audit', 'verify', '--node', node, '--keys', keys].concat('--admin-secret-file', secret),
    );
    expect([said.exitCode, said.stderr]).toEqual([1, expect.stringContaining('do not advance')]);
    expect(asked).toBeLessThan(3);
  });

  it('accepts exactly one log', async () => {
    const both = await cer(['admin', 'audit', 'verify', 'x', '--node', 'http://127.0.0.1:1', '--keys', keys]);
    expect([both.exitCode, both.stderr]).toEqual([3, expect.stringContaining('FILE and --node exclude each other')]);
  });

  it('needs the keys of the node', async () => {
    expect((await cer(['admin', 'audit', 'verify', 'x'])).exitCode).toBe(3);
  });
});
