import { judgeCheckpoint, parseLogPolicy } from '@cer/tlog';
import { EMPTY_ROOT } from '@cer/tlog/merkle';
import { formatVkey, noteKeyOf, originHashOf, parseCheckpoint, signCheckpoint, verifyLines } from '@cer/tlog/note';
import { TestLog } from '@cer/tlog/testing';
import { testSigner } from '@cer/keys/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  get,
  makeWitness,
  post,
  serveWitness,
  START,
  submit,
  temporaryFolder,
  type LocalWitness,
} from './local-witness.js';

const ORIGIN = 'node.example/log';
let folder: ReturnType<typeof temporaryFolder>;
let witness: LocalWitness;
let log: TestLog;

beforeEach(async () => {
  folder = temporaryFolder();
  await makeWitness(folder.path('w.sqlite'));
  log = new TestLog(ORIGIN);
  log.appendMany(10);
  witness = await serveWitness(folder.path('w.sqlite'), [log.vkey]);
});

afterEach(async () => {
  await witness.close();
  folder.remove();
});

/** Another tree of the same log, with the same key. */
function otherTree(size: number): TestLog {
  const other = new TestLog(ORIGIN);
  other.appendMany(size, 7);
  return other;
}

/** Signs any head with the log's key. */
function signHead(size: number, root: Uint8Array): Promise<string> {
  return signCheckpoint({ origin: ORIGIN, size, root }, log.key, testSigner(`log ${ORIGIN}`));
}

const witnessed = (): Promise<{ status: number; text: string }> =>
  get(witness.url, `/${originHashOf(ORIGIN)}/checkpoint`);

describe('a checkpoint', () => {
  it('is cosigned with the time of the witness', async () => {
    const checkpoint = await log.checkpoint();
    const { status, text } = await submit(witness.url, checkpoint);
    expect(status).toBe(200);
    const lines = await verifyLines(parseCheckpoint(checkpoint + text).note, [witness.key]);
    expect(lines).toEqual([{ key: witness.key, time: START.getTime() / 1000 }]);
  });

  it('meets a policy that asks for this witness', async () => {
    const checkpoint = await log.checkpoint();
    const { text } = await submit(witness.url, checkpoint);
    const policy = parseLogPolicy(`log ${log.vkey}\nwitness w ${formatVkey(witness.key)}\nquorum w\n`);
    const judged = (note: string): ReturnType<typeof judgeCheckpoint> => judgeCheckpoint(parseCheckpoint(note), policy);
    await expect(judged(checkpoint)).resolves.toMatchObject({ isQuorumMet: false });
    await expect(judged(checkpoint + text)).resolves.toMatchObject({ isQuorumMet: true });
  });

  it('that extends the known one is cosigned', async () => {
    await submit(witness.url, await log.checkpoint(3));
    const { status } = await submit(witness.url, await log.checkpoint(10), 3, log.tree.consistencyPath(3, 10));
    expect(status).toBe(200);
  });

  it('may be submitted again, for a new time', async () => {
    await submit(witness.url, await log.checkpoint());
    expect(await submit(witness.url, await log.checkpoint(), 10)).toMatchObject({ status: 200 });
  });

  it('of an empty log is cosigned', async () => {
    expect(await submit(witness.url, await signHead(0, EMPTY_ROOT))).toMatchObject({ status: 200 });
    expect(await submit(witness.url, await log.checkpoint())).toMatchObject({ status: 200 });
  });

  it('is served with the lines of log and witness only', async () => {
    const checkpoint = await log.checkpoint();
    const stranger = noteKeyOf('stranger', 'ed25519', testSigner('stranger').publicKey.raw);
    const noted = await signCheckpoint(parseCheckpoint(checkpoint), stranger, testSigner('stranger'));
    const { text } = await submit(witness.url, checkpoint + noted.slice(noted.indexOf('\n\n') + 2));
    expect(await witnessed()).toMatchObject({ status: 200, text: checkpoint + text });
  });
});

describe('a log that the configuration names twice', () => {
  it('has one line under its checkpoint, and one key', async () => {
    await witness.close();
    witness = await serveWitness(folder.path('w.sqlite'), [log.vkey, log.vkey]);
    const checkpoint = await log.checkpoint();
    const { text } = await submit(witness.url, checkpoint);
    expect(await witnessed()).toMatchObject({ text: checkpoint + text });
    expect(JSON.parse((await get(witness.url, '/')).text)).toMatchObject({ logs: [{ vkeys: [log.vkey] }] });
  });
});

describe("the witness refuses, in the protocol's order", () => {
  const hash = Buffer.alloc(32).toString('base64');

  it.each([
    ['an empty body', () => ''],
    ['no old size', (note: string) => `\n${note}`],
    ['an old size with a leading zero', (note: string) => `old 00\n\n${note}`],
    ['a negative old size', (note: string) => `old -1\n\n${note}`],
    ['64 lines of proof', (note: string) => `old 0\n${`${hash}\n`.repeat(64)}\n${note}`],
    ['a line of proof with 31 bytes', (note: string) => `old 1\n${Buffer.alloc(31).toString('base64')}\n\n${note}`],
    ['no checkpoint', () => 'old 0\n\n'],
    ['a checkpoint without a signature', (note: string) => `old 0\n\n${note.slice(0, note.indexOf('\n\n') + 1)}`],
    ['carriage returns', (note: string) => `old 0\n\n${note}`.replaceAll('\n', '\r\n')],
  ])('%s: 400', async (_, body) => {
    expect(await post(witness.url, body(await log.checkpoint()))).toMatchObject({ status: 400 });
  });

  it('bytes that are not UTF-8: 400', async () => {
    const body = Buffer.concat([Buffer.from(`old 0\n\n${await log.checkpoint()}`), Buffer.of(0xff, 0x0a)]);
    expect(await post(witness.url, new Uint8Array(body))).toMatchObject({ status: 400 });
  });

  it('a body over 16 KiB: 413, whatever it holds', async () => {
    expect(await post(witness.url, 'x'.repeat(16 * 1024 + 1))).toMatchObject({ status: 413 });
    expect(await post(witness.url, 'x'.repeat(10 * 1024 * 1024))).toMatchObject({ status: 413 });
  });

  it('an unknown origin before its signature: 404', async () => {
    const other = new TestLog('other.example/log');
    other.appendMany(2);
    const unsigned = (await other.checkpoint()).replace(/ [A-Za-z0-9+/=]+\n$/, ` ${'A'.repeat(92)}\n`);
    expect(await submit(witness.url, unsigned, 99)).toMatchObject({ status: 404 });
  });

  it('no line of the log before the old size: 403', async () => {
    const stranger = noteKeyOf(ORIGIN, 'ed25519', testSigner('stranger').publicKey.raw);
    const head = { origin: ORIGIN, size: 10, root: log.tree.root };
    const note = await signCheckpoint(head, stranger, testSigner('stranger'));
    expect(await submit(witness.url, note, 99)).toMatchObject({ status: 403 });
  });

  it('a wrong log signature beside a right one: 403', async () => {
    const checkpoint = await log.checkpoint();
    const wrong = await log.checkpoint(9);
    const lines = wrong.slice(wrong.indexOf('\n\n') + 2);
    expect(await submit(witness.url, checkpoint + lines)).toMatchObject({ status: 403 });
  });

  it('an old size above the new one: 400', async () => {
    expect(await submit(witness.url, await log.checkpoint(), 11)).toMatchObject({ status: 400 });
  });

  it('an old size that is not known: 409 with the size', async () => {
    await submit(witness.url, await log.checkpoint(4));
    expect(await submit(witness.url, await log.checkpoint(), 0)).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      text: '4\n',
    });
  });

  it('an empty log with another root: 422', async () => {
    expect(await submit(witness.url, await signHead(0, new Uint8Array(32)))).toMatchObject({ status: 422 });
  });

  it('a proof from size 0: 422', async () => {
    expect(await submit(witness.url, await log.checkpoint(), 0, [new Uint8Array(32)])).toMatchObject({ status: 422 });
  });

  it('a proof that fails: 422', async () => {
    await submit(witness.url, await log.checkpoint(4));
    const path = log.tree.consistencyPath(4, 10);
    const other = otherTree(10);
    expect(await submit(witness.url, await log.checkpoint(), 4, path.slice(1))).toMatchObject({ status: 422 });
    expect(await submit(witness.url, await other.checkpoint(), 4, other.tree.consistencyPath(4, 10))).toMatchObject({
      status: 422,
    });
  });

  it('another root at the known size: 422 with evidence', async () => {
    await submit(witness.url, await log.checkpoint());
    const other = await otherTree(10).checkpoint();
    expect(await submit(witness.url, other, 10)).toMatchObject({ status: 422 });
    expect(await submit(witness.url, other, 3)).toMatchObject({ status: 409 });
    const { text } = await get(witness.url, `/evidence/${originHashOf(ORIGIN)}`);
    const known = (await witnessed()).text;
    expect(JSON.parse(text)).toEqual({ origin: ORIGIN, evidence: [{ at: START.toISOString(), note: other, known }] });
  });

  it('other methods and paths: 405 and 404', async () => {
    expect(await get(witness.url, '/add-checkpoint')).toMatchObject({ status: 405 });
    expect(await get(witness.url, `/${'0'.repeat(64)}/checkpoint`)).toMatchObject({ status: 404 });
    expect(await get(witness.url, `/${originHashOf('other')}/checkpoint`)).toMatchObject({ status: 404 });
  });

  it('to show a checkpoint before the first cosignature: 404', async () => {
    expect(await witnessed()).toMatchObject({ status: 404 });
  });
});

it('names itself and its logs', async () => {
  const { text } = await get(witness.url, '/');
  expect(JSON.parse(text)).toEqual({
    vkey: formatVkey(witness.key),
    logs: [{ origin: ORIGIN, vkeys: [log.vkey], checkpoint: `/${originHashOf(ORIGIN)}/checkpoint` }],
  });
});
