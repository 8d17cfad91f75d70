import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { certified, historyKeyOf, rootKeyOf, TEST_NODE_ID, TEST_SIGNER, TestKeyHistory } from '@cer/cer-core/testing';
import { verifyKeyHistory } from '@cer/cer-core/logs';
import { keyFingerprint } from '@cer/keys';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { formatTimestampRequest, parseTimestampResponse } from '@cer/timestamps';
import { createOpensslTsa, type OpensslTsa } from '@cer/timestamps/testing';
import { hasPython } from '../../scripts/python.mjs';

// The verifier in clients/python beside the one of this project: key histories and RFC 3161 tokens.

const PYTHON = join(__dirname, '..', '..', 'clients', 'python');
const folder = mkdtempSync(join(tmpdir(), 'python-verifier-'));
const isCompared = hasPython();
const root = testSigner('root');
const thief = testSigner('thief');
const next = testSigner('next root');

beforeAll(() => {
  if (!isCompared) process.stderr.write('Not compared with clients/python: there is no Python 3.9 or later.\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Report {
  readonly status: string;
  readonly code: string;
  readonly keySet: { readonly refused?: { readonly code: string }; readonly notices?: readonly string[] } | null;
  readonly timestamp?: { readonly status: string; readonly covers?: string; readonly provider?: string };
  readonly keyRescue?: { readonly before: string };
  readonly revocationsKnownUntil?: string;
}

function python(...args: readonly string[]): Report {
  const { stdout, stderr } = spawnSync('python3', ['-m', 'cer_verify', ...args, '--json'], {
    cwd: PYTHON,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Report;
}

function written(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

type Document = Awaited<ReturnType<TestKeyHistory['signed']>>;

describe('key histories', () => {
  const of =
    (change: (history: TestKeyHistory) => unknown, by = root) =>
    async (): Promise<unknown> => {
      const history = new TestKeyHistory();
      await change(history);
      return history.signed(by);
    };
  const edited = (edit: (document: Document) => unknown) => async (): Promise<unknown> =>
    edit(await new TestKeyHistory().add({ type: 'key-added', key: historyKeyOf(testSigner(2)) }).signed());
  const nothing = (): void => undefined;

  it.each<[string, () => Promise<unknown>, string]>([
    ['a good one', of(nothing), 'accepted'],
    [
      'one with a retired and a revoked key',
      of((history) => {
        const [first, second] = [testSigner(1), testSigner(2)];
        history.add({ type: 'key-added', key: historyKeyOf(second) }).add({ type: 'key-activated', kid: second.kid });
        history.add({ type: 'key-retired', kid: first.kid, retiredAt: '2026-01-05T00:00:00.000Z' });
        history.add({
          type: 'key-revoked',
          kid: second.kid,
          revokedAt: '2026-01-06T00:00:00.000Z',
          reason: 'superseded',
        });
      }),
      'accepted',
    ],
    ['one by another root', of(nothing, thief), 'KEY_HISTORY_SIGNATURE_INVALID'],
    [
      'one by a root that the pinned one endorsed',
      of((history) => history.addRoot({ type: 'root-replaced', kid: root.kid, root: rootKeyOf(next) }, root), next),
      'accepted',
    ],
    [
      'one with a forged endorsement',
      of(
        (history) => history.addRoot({ type: 'root-added', root: rootKeyOf(thief) }, { ...thief, kid: root.kid }),
        thief,
      ),
      'KEY_HISTORY_ENDORSEMENT_INVALID',
    ],
    [
      'one whose root was revoked',
      of(async (history) => {
        await history.addRoot({ type: 'root-added', root: rootKeyOf(next) }, root);
        history.add({ type: 'root-revoked', kid: root.kid, reason: 'keyCompromise' });
      }, next),
      'KEY_HISTORY_ROOT_REVOKED',
    ],
    ['an unsigned one', edited((it) => ({ ...it, statement: null, signatures: [] })), 'KEY_HISTORY_UNSIGNED'],
    [
      'one without its first entry',
      edited((it) => ({ ...it, entries: it.entries.slice(1) })),
      'KEY_HISTORY_CHAIN_BROKEN',
    ],
    [
      'one without its last entry',
      edited((it) => ({ ...it, entries: it.entries.slice(0, -1) })),
      'KEY_HISTORY_HEAD_MISMATCH',
    ],
    ['one of another node', async () => new TestKeyHistory({ nodeId: 'other' }).signed(), 'KEY_HISTORY_NODE_MISMATCH'],
    ['one with a member more', edited((it) => ({ ...it, note: 1 })), 'KEY_HISTORY_INVALID'],
    [
      'one with a key set of fewer keys',
      edited((it) => {
        const keys = it.statement?.keySet.keys.slice(1) ?? [];
        return { ...it, statement: { ...it.statement, keySet: { nodeId: 'test-node', activeKid: null, keys } } };
      }),
      'KEY_HISTORY_KEY_SET_MISMATCH',
    ],
    [
      'a later version without the root',
      edited((it) => ({ ...it, statement: { ...it.statement, version: 7 } })),
      'KEY_HISTORY_SIGNATURE_INVALID',
    ],
  ])('%s has the same outcome', async (_, make, expected) => {
    const document = JSON.parse(JSON.stringify(await make())) as unknown;
    const fingerprint = keyFingerprint(root.publicKey);
    const ours = await verifyKeyHistory(document, {
      nodeId: 'test-node',
      rootFingerprint: fingerprint,
      highestSeen: null,
      at: new Date().toISOString(),
    });
    expect(ours.accepted ? 'accepted' : ours.findings[0].code).toBe(expected);
    if (!isCompared) return;
    const certificate = written('certificate.json', await certified());
    const pin = ['--history', written('history.json', document), '--root', fingerprint, '--node', 'test-node'];
    const { keySet, revocationsKnownUntil } = python(certificate, ...pin);
    expect(keySet?.refused?.code ?? 'accepted').toBe(expected);
    if (!ours.accepted) return;
    expect(keySet?.notices).toEqual(ours.findings.map(({ code }) => code).sort(byOrder));
    expect(revocationsKnownUntil).toBe(ours.keySet.revocationsKnownUntil);
  });

  const ORDER = ['KEY_HISTORY_PIN_REPLACED', 'KEY_HISTORY_OVERDUE', 'KEY_HISTORY_FROM_FUTURE', 'KEY_HISTORY_PENDING'];
  const byOrder = (one: string, other: string): number => ORDER.indexOf(one) - ORDER.indexOf(other);

  describe('a stored state', () => {
    const HEAD = `sha256:${'0'.repeat(64)}`;
    let files = '';
    let state = '';
    beforeEach(() => {
      files = mkdtempSync(join(folder, 'state-'));
      state = join(files, 'seen.json');
    });
    const verifyWith = async (path: string, document?: unknown): Promise<SpawnSyncReturns<string>> => {
      const history = written('history.json', document ?? (await new TestKeyHistory().signed()));
      const pin = ['--history', history, '--root', keyFingerprint(root.publicKey), '--node', 'test-node'];
      const args = ['-m', 'cer_verify', written('certificate.json', await certified()), ...pin, '--seen', path];
      return spawnSync('python3', args, { cwd: PYTHON, encoding: 'utf8' });
    };
    const expectUsage = ({ status, stdout, stderr }: SpawnSyncReturns<string>, why: string): void => {
      expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
        status: 3,
        stdout: '',
        lines: 1,
      });
      expect(stderr).toContain(why);
    };

    it.each([
      ['cut off', '{"version": 1, "se'],
      ['empty', ''],
      ['without a head', '{"version": 1, "seq": 1}'],
      ['with two versions', `{"version": 9, "version": 1, "seq": 1, "hash": "${HEAD}"}`],
    ])('that is damaged is a mistake in the call: %s', async (_, content) => {
      if (!isCompared) return;
      writeFileSync(state, content);
      expectUsage(await verifyWith(state), content === '' ? 'is empty' : 'restore it');
      expect(readFileSync(state, 'utf8')).toBe(content);
    });

    it('that cannot be written is a mistake in the call', async () => {
      if (!isCompared) return;
      writeFileSync(state, '');
      expectUsage(await verifyWith(join(state, 'below a file')), 'Not a directory');
      expectUsage(await verifyWith(join(files, 'missing', 'seen.json')), 'No such file or directory');
    });

    it('is replaced as a whole, and only by a newer one', async () => {
      if (!isCompared) return;
      const history = new TestKeyHistory();
      const [first, second] = [await history.signed(), await history.signed()];
      const stored = async (document: unknown): Promise<unknown[]> => {
        await verifyWith(state, document);
        const { version } = JSON.parse(readFileSync(state, 'utf8')) as { version: number };
        return [version, statSync(state).ino];
      };
      const [version, file] = await stored(first);
      const [newer, another] = await stored(second);
      expect([version, newer]).toEqual([1, 2]);
      expect(another).not.toBe(file);
      expect(await stored(second)).toEqual([newer, another]);
      expect(readdirSync(files)).toEqual(['seen.json']);
    });
  });

  it('a rollback and a fork are refused by the stored state', async () => {
    if (!isCompared) return;
    const history = new TestKeyHistory();
    const old = await history.signed();
    history.add({ type: 'key-added', key: historyKeyOf(testSigner(2)) });
    const certificate = written('certificate.json', await certified());
    const seen = join(folder, 'seen.json');
    const codeOf = (document: unknown): string => {
      const pin = ['--root', keyFingerprint(root.publicKey), '--node', 'test-node', '--seen', seen];
      return (
        python(certificate, '--history', written('history.json', document), ...pin).keySet?.refused?.code ?? 'accepted'
      );
    };
    expect(codeOf(await history.signed())).toBe('accepted');
    expect(codeOf(old)).toBe('KEY_HISTORY_ROLLBACK');
    const fork = new TestKeyHistory({ signer: thief }).add({ type: 'key-added', key: historyKeyOf(testSigner(3)) });
    await fork.signed();
    expect(codeOf(await fork.signed())).toBe('KEY_HISTORY_FORK');
  });
});

describe('tokens of openssl', () => {
  const authorities: OpensslTsa[] = [];
  afterAll(() => {
    for (const authority of authorities) authority.remove();
  });

  it.each(['rsa', 'ec'] as const)('with %s keys rescue a record under a later-revoked key', async (key) => {
    const authority = createOpensslTsa({ key });
    authorities.push(authority);
    const bundle = await certified();
    const meta = bundle['meta'] as { attestation: { receipt: never; signature: string } };
    const { receipt, signature } = meta.attestation;
    const imprint = timestampDigest(timestampedText(receipt, signature));
    const reply = await authority.reply(formatTimestampRequest({ imprint, nonce: Uint8Array.of(1) }));
    const token = Buffer.from(parseTimestampResponse(reply));
    if (!isCompared) return;
    const revoked = { status: 'revoked', revokedAt: '2099-01-01T00:00:00.000Z' } as const;
    const signers = [{ signer: TEST_SIGNER, ...revoked }];
    const keys = ['--keys', written('keys.json', testKeySet({ nodeId: TEST_NODE_ID, signers }))];
    const roots = ['--tsa-roots', written('roots.pem', authority.rootPem)];
    const timestamped = (bytes: Buffer): string => {
      const timestamps = [{ type: 'rfc3161', token: bytes.toString('base64') }];
      return written('timestamped.json', { ...bundle, meta: { ...meta, timestamps } });
    };
    expect(python(timestamped(token), ...keys, ...roots)).toMatchObject({
      status: 'VERIFIED',
      timestamp: { status: 'verified', covers: 'receipt', provider: 'Test TSA' },
      keyRescue: { before: 'revokedAt' },
    });
    expect(python(timestamped(token), ...keys)).toMatchObject({
      code: 'KEY_REVOKED',
      timestamp: { status: 'not-checked' },
    });
    const changed = Buffer.from(token);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    expect(python(timestamped(changed), ...keys, ...roots)).toMatchObject({
      code: 'KEY_REVOKED',
      timestamp: { status: 'invalid' },
    });
    const other = createOpensslTsa();
    authorities.push(other);
    const others = ['--tsa-roots', written('others.pem', other.rootPem)];
    expect(python(timestamped(token), ...keys, ...others)).toMatchObject({
      code: 'KEY_REVOKED',
      timestamp: { status: 'untrusted' },
    });
  });
});
