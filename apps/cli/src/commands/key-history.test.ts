import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { certified, TestKeyHistory } from '@cer/cer-core/testing';
import { keyFingerprint } from '@cer/keys';
import { parseKeyHistory, type KeyHistoryDocument } from '@cer/keys/key-history';
import { openRootFile } from '@cer/keys/file-signer';
import { testSigner } from '@cer/keys/testing';
import { cer, type Said, type Surroundings } from '../testing/console.js';
import { Folder, sample } from '../testing/files.js';

const NODE = ['--node-id', 'test-node'];
let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => {
  folder.remove();
});

function call(args: readonly string[], surroundings: Surroundings = {}): Promise<Said> {
  return cer(args, { env: { XDG_STATE_HOME: join(folder.path, 'state') }, ...surroundings });
}

function saved(name: string, document: KeyHistoryDocument): string {
  return folder.write(name, JSON.stringify(document));
}

function reasonOf({ exitCode, stderr }: Said): unknown {
  return { exitCode, reason: (JSON.parse(stderr) as { reason: unknown }).reason };
}

const verifyIn = (path: string, { rootFingerprint }: TestKeyHistory, ...more: string[]): Promise<Said> =>
  call(['keys', 'history', 'verify', path, '--root', rootFingerprint, ...NODE, ...more]);

describe('cer keys root init', () => {
  it('makes a private file and prints the public part', async () => {
    const path = folder.file('root.json');
    const { exitCode, stdout } = await call(['keys', 'root', 'init', '--out', path]);
    const root = openRootFile(path);
    expect(exitCode).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(stdout).toContain(keyFingerprint(root.publicKey));
    const { privateKey } = JSON.parse(readFileSync(path, 'utf8')) as { privateKey: string };
    expect(privateKey).toHaveLength(64);
    expect(stdout).not.toContain(privateKey);
  });

  it('never overwrites a file', async () => {
    const path = folder.write('root.json', 'precious');
    const { exitCode, stderr } = await call(['keys', 'root', 'init', '--out', path]);
    expect({ exitCode, text: readFileSync(path, 'utf8') }).toEqual({ exitCode: 3, text: 'precious' });
    expect(stderr).toContain('never overwritten');
  });
});

describe('cer keys root sign', () => {
  let root: string;
  let fingerprint: string;
  let unsigned: KeyHistoryDocument;

  beforeEach(async () => {
    root = folder.file('root.json');
    await call(['keys', 'root', 'init', '--out', root]);
    fingerprint = keyFingerprint(openRootFile(root).publicKey);
    const entries = new TestKeyHistory({ root: openRootFile(root) }).entries;
    unsigned = { type: 'svc.key-history.v1', nodeId: 'test-node', entries, statement: null, signatures: [] };
  });

  const sign = (history: string, out: string, ...more: string[]): Promise<Said> =>
    call(['keys', 'root', 'sign', '--root', root, '--history', history, '--out', folder.file(out), ...more]);
  const read = (name: string): KeyHistoryDocument =>
    parseKeyHistory(JSON.parse(readFileSync(folder.file(name), 'utf8')) as unknown);

  it('shows the changes and signs them with the root', async () => {
    const { exitCode, stdout } = await sign(saved('history.json', unsigned), 'signed.json');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/2\. +Adds the signing key/);
    expect(stdout).toContain(keyFingerprint(testSigner(1).publicKey));
    const said = await call(['keys', 'history', 'verify', folder.file('signed.json'), '--root', fingerprint, ...NODE]);
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(said.stdout).toMatch(/^ACCEPTED\n/);
    expect(said.stdout).toMatch(/Version +1, over 3 entries/);
  });

  it('enters itself as the first root', async () => {
    const nodeOnly = saved('history.json', { ...unsigned, entries: [] });
    expect((await sign(nodeOnly, 'signed.json')).exitCode).toBe(0);
    expect(read('signed.json').entries.map(({ change }) => change.type)).toEqual(['root-added']);
  });

  it('shows only new entries for the next version', async () => {
    await sign(saved('history.json', unsigned), 'first.json');
    const { exitCode, stdout } = await sign(folder.file('first.json'), 'second.json', '--days', '7');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Nothing changed since the last statement');
    expect(read('second.json').statement).toMatchObject({ version: 2, nextUpdate: '2026-03-08T00:00:00.000Z' });
  });

  it('vouches for another root that may sign next', async () => {
    const second = folder.file('second-root.json');
    await call(['keys', 'root', 'init', '--out', second]);
    const { publicKey } = openRootFile(second);
    const spki = Buffer.from(publicKey.raw).toString('base64');
    const said = await sign(saved('history.json', unsigned), 'first.json', '--add-root', spki);
    expect(said.exitCode).toBe(0);
    expect(said.stdout.replaceAll(/\s+/g, ' ')).toContain(`for which the root ${fingerprint} vouches`);
    const history = ['--history', folder.file('first.json'), '--out', folder.file('next.json')];
    expect((await call(['keys', 'root', 'sign', '--root', second, ...history])).exitCode).toBe(0);
    const next = folder.file('next.json');
    expect((await call(['keys', 'history', 'verify', next, '--root', fingerprint, ...NODE])).exitCode).toBe(0);
  });

  it('refuses older and forked histories', async () => {
    const other = { ...unsigned, entries: unsigned.entries.slice(0, 2) };
    await sign(saved('history.json', unsigned), 'first.json');
    expect(reasonOf(await sign(saved('other.json', other), 'second.json'))).toEqual({
      exitCode: 1,
      reason: 'KEY_HISTORY_ROLLBACK',
    });
    expect(existsSync(folder.file('second.json'))).toBe(false);
  });

  it('says what to do after KEY_HISTORY_CONFLICT', async () => {
    await sign(saved('history.json', { ...unsigned, entries: [] }), 'refused.json');
    const said = await sign(saved('changed.json', unsigned), 'second.json');
    expect(reasonOf(said)).toEqual({ exitCode: 1, reason: 'KEY_HISTORY_FORK' });
    const [state = ''] = readdirSync(join(folder.path, 'state', 'cer', 'key-histories'));
    expect(said.stdout.replaceAll(/\s+/g, ' ')).toContain('409 KEY_HISTORY_CONFLICT');
    rmSync(join(folder.path, 'state', 'cer', 'key-histories', state));
    expect((await sign(folder.file('changed.json'), 'second.json')).exitCode).toBe(0);
  });

  it('ignores the version of an unsigned statement', async () => {
    await sign(saved('history.json', unsigned), 'first.json');
    const { statement, ...first } = read('first.json');
    if (statement === null) throw new Error('there is no statement');
    const version = Number.MAX_SAFE_INTEGER - 1;
    const last = saved('last.json', { ...first, statement: { ...statement, version } });
    expect(reasonOf(await sign(last, 'second.json'))).toEqual({ exitCode: 1, reason: 'KEY_HISTORY_INVALID' });
    expect(existsSync(folder.file('second.json'))).toBe(false);
    // A plausible version is continued: the next one must be higher.
    await sign(saved('later.json', { ...first, statement: { ...statement, version: 7 } }), 'third.json');
    expect(read('third.json').statement?.version).toBe(8);
  });

  it('refuses the history of another root', async () => {
    const foreign = saved('foreign.json', await new TestKeyHistory().signed());
    const said = await sign(foreign, 'signed.json');
    expect(reasonOf(said)).toEqual({ exitCode: 1, reason: 'KEY_HISTORY_ROOT_UNKNOWN' });
    expect(said.stdout).toMatch(/^NOT SIGNED\n/);
    expect(said.stdout.replaceAll(/\s+/g, ' ')).toContain('cer keys root sign --add-root');
  });

  it('asks on a terminal and signs only after yes', async () => {
    const history = saved('history.json', unsigned);
    const args = ['keys', 'root', 'sign', '--root', root, '--history', history, '--out', folder.file('signed.json')];
    const env = { XDG_STATE_HOME: join(folder.path, 'state'), NO_COLOR: '1' };
    expect(reasonOf(await cer(args, { env, isTerminal: true, stdin: 'no\n' }))).toMatchObject({
      reason: 'NOT_CONFIRMED',
    });
    expect(existsSync(folder.file('signed.json'))).toBe(false);
    expect(await cer(args, { env, isTerminal: true, stdin: 'yes\n' })).toMatchObject({ exitCode: 0 });
    expect(existsSync(folder.file('signed.json'))).toBe(true);
  });

  it('only shows with --dry-run', async () => {
    const { exitCode, stdout } = await sign(saved('history.json', unsigned), 'signed.json', '--dry-run');
    expect({ exitCode, isWritten: existsSync(folder.file('signed.json')) }).toEqual({ exitCode: 0, isWritten: false });
    expect(stdout).toContain('What this root vouches for');
  });

  it.each([
    [
      'open to others',
      () => {
        chmodSync(root, 0o644);
      },
      'chmod 600',
    ],
    [
      'of a node',
      () => {
        writeFileSync(root, '{"nodeId":"test-node","keys":[]}');
      },
      'svc.root-key-file.v1',
    ],
  ])('refuses a root file that is %s', async (_, spoil, why) => {
    spoil();
    const { exitCode, stderr } = await sign(saved('history.json', unsigned), 'signed.json');
    expect(exitCode).toBe(3);
    expect(stderr).toContain(why);
  });
});

describe('cer keys history verify', () => {
  it('reports the accepted state as JSON', async () => {
    const history = new TestKeyHistory();
    const document = await history.signed();
    const { stdout } = await verifyIn(saved('history.json', document), history, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'VERIFIED',
      version: 1,
      revocationsKnownUntil: document.statement?.issuedAt,
      findings: [{ code: 'KEY_HISTORY_OVERDUE' }],
      keys: [{ kid: testSigner(1).kid, status: 'active' }],
    });
  });

  it('refuses an older history, across processes too', async () => {
    const history = new TestKeyHistory();
    const before = saved('before.json', await history.signed());
    history.add({
      type: 'key-revoked',
      kid: testSigner(1).kid,
      revokedAt: '2026-01-02T00:00:00.000Z',
      reason: 'keyCompromise',
    });
    const after = saved('after.json', await history.signed());
    expect((await verifyIn(before, history)).exitCode).toBe(0);
    expect((await verifyIn(after, history)).exitCode).toBe(0);
    const said = await verifyIn(before, history);
    expect(reasonOf(said)).toEqual({ exitCode: 1, reason: 'KEY_HISTORY_ROLLBACK' });
    expect(said.stdout).toMatch(/^REFUSED\n.*version 1 with 3\s+entries, older than the accepted/);
    expect(said.stdout).toContain('ask the operator');
    expect((await verifyIn(after, history)).exitCode).toBe(0);
  });

  it('refuses a fork that the same root signed', async () => {
    const history = new TestKeyHistory();
    const fork = new TestKeyHistory({ signer: testSigner('fork') });
    expect((await verifyIn(saved('one.json', await history.signed()), history)).exitCode).toBe(0);
    expect(reasonOf(await verifyIn(saved('two.json', await fork.signed()), fork))).toEqual({
      exitCode: 1,
      reason: 'KEY_HISTORY_FORK',
    });
  });

  it('stops when the accepted state cannot be read', async () => {
    const history = new TestKeyHistory();
    const path = saved('history.json', await history.signed());
    await verifyIn(path, history);
    const states = join(folder.path, 'state', 'cer', 'key-histories');
    for (const name of readdirSync(states)) writeFileSync(join(states, name), '{}');
    const { exitCode, stderr } = await verifyIn(path, history);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('Restore it');
    expect(
      (await call(['keys', 'history', 'verify', path, '--root', history.rootFingerprint, ...NODE], { env: {} })).stderr,
    ).toContain('XDG_STATE_HOME');
  });

  it('fetches the well-known address of a node', async () => {
    const history = new TestKeyHistory();
    const document = await history.signed();
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.setHeader('connection', 'close').end(JSON.stringify(document));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      expect((await verifyIn(`http://127.0.0.1:${port}`, history)).exitCode).toBe(0);
      expect(asked).toEqual(['/.well-known/svc-key-history.json']);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it.each([
    [['--root', 'sha256:1', ...NODE], '--root: must be'],
    [['--root', `sha256:${'0'.repeat(64)}`], '--node-id is missing'],
    [NODE, '--root is missing'],
  ])('demands a whole pin (%#)', async (flags, why) => {
    const { exitCode, stderr } = await call(['keys', 'history', 'verify', folder.file('none.json'), ...flags]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(why);
  });
});

describe('cer verify --history', () => {
  const signer = testSigner('active');
  const historyOf = (): TestKeyHistory => new TestKeyHistory({ nodeId: 'node-test', signer });
  const pin = ({ rootFingerprint }: TestKeyHistory): string[] => ['--root', rootFingerprint];

  it("verifies with the root's keys and dates its knowledge", async () => {
    const history = historyOf();
    const path = saved('history.json', await history.signed());
    const certificate = folder.write('certificate.json', await certified());
    const args = ['verify', certificate, '--history', path, ...pin(history)];
    const readable = await call(args);
    expect(readable).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readable.stdout).toMatch(/Known until +2026-01-04T00:00:00.000Z/);
    expect(JSON.parse((await call([...args, '--json'])).stdout)).toMatchObject({
      status: 'VERIFIED',
      revocationsKnownUntil: '2026-01-04T00:00:00.000Z',
      keySet: {
        nodeId: 'node-test',
        voucher: { rootFingerprint: history.rootFingerprint, revocationsKnownUntil: '2026-01-04T00:00:00.000Z' },
      },
    });
    expect(await call([...args, '--node', 'another-node'])).toMatchObject({ exitCode: 1 });
    const batch = await call(['verify', '--batch', certificate, ...args.slice(2), '--json']);
    expect(JSON.parse(batch.stdout.split('\n')[0] ?? '')).toMatchObject({
      exitCode: 0,
      revocationsKnownUntil: '2026-01-04T00:00:00.000Z',
    });
    expect((await call(['verify', certificate, '--json'])).stdout).not.toContain('revocationsKnownUntil');
  });

  it('refuses an older history after a revocation', async () => {
    const history = historyOf();
    const before = saved('before.json', await history.signed());
    const revocation = { revokedAt: '2026-01-02T00:00:00.000Z', reason: 'keyCompromise' } as const;
    const after = saved(
      'after.json',
      await history.add({ type: 'key-revoked', kid: signer.kid, ...revocation }).signed(),
    );
    const certificate = folder.write('certificate.json', await certified());
    const verifyBy = (path: string): Promise<Said> => call(['verify', certificate, '--history', path, ...pin(history)]);
    expect((await verifyBy(before)).exitCode).toBe(0);
    expect(reasonOf(await verifyBy(after))).toEqual({ exitCode: 1, reason: 'KEY_REVOKED' });
    const said = await verifyBy(before);
    expect(reasonOf(said)).toEqual({ exitCode: 1, reason: 'VERIFICATION_MATERIAL_UNAVAILABLE' });
    expect(said.stdout).toMatch(/the key history was refused\s+\[KEY_HISTORY_ROLLBACK\]/);
  });

  it.each([
    [['--history', 'h.json'], '--root is missing'],
    [['--root', `sha256:${'0'.repeat(64)}`], '--root goes with --history'],
    [['--history', 'h.json', '--keys', 'k.json', '--root', `sha256:${'0'.repeat(64)}`], 'exclude each other'],
  ])('takes a whole pin and only one (%#)', async (flags, why) => {
    const { exitCode, stderr } = await call(['verify', sample('certified.json'), ...flags]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(why);
  });
});
