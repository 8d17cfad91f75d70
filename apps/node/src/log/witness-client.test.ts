import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { testSigner } from '@cer/keys/testing';
import { cosign, formatSignatureLine, noteKeyOf, parseCheckpoint, signCheckpoint } from '@cer/tlog/note';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { askWitness, type WitnessAnswer } from './witness-client.js';

const NAME = 'witness.example/w1';
const signer = testSigner('witness');
const key = noteKeyOf(NAME, 'cosignature', signer.publicKey.raw);
const stranger = noteKeyOf('stranger.example/w', 'cosignature', signer.publicKey.raw);
const lineOf = (bytes: number, owner = stranger): string => formatSignatureLine(owner, new Uint8Array(bytes).fill(7));
const NOT_COSIGNED = { status: 'later', reason: 'a wrong cosignature' };

let note: string;
const closers: (() => void)[] = [];

beforeAll(async () => {
  const log = testSigner('log');
  const logKey = noteKeyOf('node.example/log', 'ed25519', log.publicKey.raw);
  note = await signCheckpoint({ origin: 'node.example/log', size: 1, root: new Uint8Array(32) }, logKey, log);
});

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const cosigned = (time: number): Promise<string> => cosign(parseCheckpoint(note).note.text, time, key, signer);

/** What the node makes of an answer to a checkpoint. */
async function answerTo(said: string): Promise<WitnessAnswer> {
  const server = createServer((_request, response) => {
    response.end(said);
  });
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const witness = { name: 'w1', key, url: `http://127.0.0.1:${String(port)}/` };
  return askWitness(witness, { oldSize: 0, proof: [], note });
}

describe('the answer of a witness', () => {
  it('has its line among at most 64', async () => {
    const line = await cosigned(1_800_000_000);
    expect(await answerTo(lineOf(72).repeat(63) + line)).toEqual({ status: 'cosigned', lines: [line] });
    expect(await answerTo(lineOf(72).repeat(64) + line)).toEqual(NOT_COSIGNED);
    expect(await answerTo('\n'.repeat(60_000) + line)).toEqual(NOT_COSIGNED);
  });

  it('names the reason where the witness cannot be reached', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const witness = { name: 'w1', key, url: `http://127.0.0.1:${String(port)}` };
    expect(await askWitness(witness, { oldSize: 0, proof: [], note })).toEqual({
      status: 'later',
      reason: 'cannot be reached (ECONNREFUSED)',
    });
  });

  it('adds no line that is longer than a signature', async () => {
    const line = await cosigned(1_800_000_000);
    const other = noteKeyOf(NAME, 'cosignature', testSigner('another type').publicKey.raw);
    const [postQuantum, oversized] = [lineOf(2420, other), lineOf(30_000, other)];
    expect(await answerTo(postQuantum + oversized + line)).toEqual({ status: 'cosigned', lines: [postQuantum, line] });
  });

  it('is ignored with a time after the year 9999', async () => {
    const last = Date.parse('9999-12-31T23:59:59Z') / 1000;
    expect(await answerTo(await cosigned(last))).toMatchObject({ status: 'cosigned' });
    expect(await answerTo(await cosigned(last + 1))).toEqual(NOT_COSIGNED);
  });
});
