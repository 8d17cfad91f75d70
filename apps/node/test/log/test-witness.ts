import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { decodeBase64 } from '@cer/keys';
import { testSigner } from '@cer/keys/testing';
import { verifyConsistency } from '@cer/tlog/merkle';
import { cosign, formatVkey, noteKeyOf, parseCheckpoint, type TreeHead } from '@cer/tlog/note';

export type WitnessMood = 'good' | 'away' | 'slow' | 'garbage' | 'other note' | 'many lines' | 'fork' | 'stranger';

/** A witness that follows the protocol unless a test sets another behaviour. */
export interface TestWitness {
  /** The line of a policy. */
  readonly line: string;
  mood: WitnessMood;
  /** How often it was asked. */
  asked: number;
  readonly close: () => Promise<void>;
}

const NAME = 'witness.example/w1';
/** A line of the length of an ML-DSA-44 cosignature: key id, time, signature. */
const MLDSA_LINE = `\u2014 witness.example/pq ${Buffer.alloc(4 + 8 + 2420, 7).toString('base64')}\n`;

/** @see https://c2sp.org/tlog-witness */
export async function startTestWitness(): Promise<TestWitness> {
  const signer = testSigner('witness');
  const key = noteKeyOf(NAME, 'cosignature', signer.publicKey.raw);
  const heads = new Map<string, TreeHead>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const witness: TestWitness = {
    line: `witness w1 ${formatVkey(key)} http://127.0.0.1:${port}\n`,
    mood: 'good',
    asked: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    witness.asked += 1;
    const send = (status: number, text = '', type = 'text/plain'): void => {
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    if (witness.mood === 'away') {
      send(503);
      return;
    }
    // No answer: the node gives up.
    if (witness.mood === 'slow') return;
    if (witness.mood === 'garbage') {
      send(200, 'x'.repeat(100_000));
      return;
    }
    if (witness.mood === 'stranger') {
      send(404);
      return;
    }
    if (witness.mood === 'fork') {
      send(422);
      return;
    }
    const gap = body.indexOf('\n\n');
    const [old = '', ...proof] = body.slice(0, gap).split('\n');
    const checkpoint = parseCheckpoint(body.slice(gap + 2));
    const known = heads.get(checkpoint.origin) ?? null;
    if (Number(old.slice('old '.length)) !== (known?.size ?? 0)) {
      send(409, `${known?.size ?? 0}\n`, 'text/x.tlog.size');
      return;
    }
    if (known !== null && known.size > 0) {
      const path = proof.map((line) => decodeBase64(line));
      if (
        !verifyConsistency({
          size1: known.size,
          root1: known.root,
          size2: checkpoint.size,
          root2: checkpoint.root,
          path,
        })
      ) {
        send(422);
        return;
      }
    }
    heads.set(checkpoint.origin, checkpoint);
    const { text } = checkpoint.note;
    const time = Math.floor(Date.now() / 1000);
    if (witness.mood === 'other note') {
      send(200, await cosign(`${text}other\n`, time, key, signer));
      return;
    }
    const line = await cosign(text, time, key, signer);
    const stranger = line.replace(NAME, 'witness.example/other');
    send(200, witness.mood === 'many lines' ? stranger.repeat(61) + MLDSA_LINE + line : line);
  }

  return witness;
}
