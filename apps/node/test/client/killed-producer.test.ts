import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jcsV1, parseJson } from '@cer/canonical-json';
import { hashValue } from '@cer/cer-core';
import { certificates } from '@cer/client';

import { startModelServer, type ModelServer } from '../model-server.js';
import { startTestNode, type TestNode } from '../test-node.js';

// `npm run soak:producer -w apps/node` sets it to 200.
const KILLS = Number(process.env['PRODUCER_KILLS'] ?? 5);

const answerInTwoWrites: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json');
    // Two writes, so that a kill may come between them.
    response.write('{"id":"same-id",');
    response.end('"choices":[]}');
  });
};

let node: TestNode;
let key: string;
let models: ModelServer;
const dir = mkdtempSync(join(tmpdir(), 'cer-killed-'));

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
  models = await startModelServer(answerInTwoWrites);
});
afterAll(async () => {
  models.close();
  await node.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs the program and kills it after some calls. @returns the numbers of the calls that it got answered */
async function killedAfter(calls: number, first: number): Promise<number[]> {
  const child = spawn(process.execPath, [join(__dirname, 'killed-producer.mjs')], {
    env: {
      PATH: process.env['PATH'],
      MODEL_URL: models.completions,
      FIRST: String(first),
      CER_NODE_URL: node.url,
      CER_API_KEY: key,
      CER_SPOOL_DIR: dir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.split('\n').length > calls) child.kill('SIGKILL');
  });
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
  return said.split('\n').slice(0, -1).map(Number);
}

const inputOf = (call: number): string =>
  hashValue(
    parseJson(JSON.stringify({ model: 'example-1', messages: [{ role: 'user', content: `call ${call}` }] })),
    jcsV1,
    'input',
  );

describe('a program that is killed at random points', () => {
  it(
    'loses no answered call and certifies none twice',
    async () => {
      const answered: number[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        answered.push(...(await killedAfter(1 + ((kill * 7) % 23), 1 + kill * 1000)));
      }
      const last = certificates({ appId: 'last', nodeUrl: node.url, apiKey: key, spoolDir: dir });
      expect(await last.flush({ timeoutMs: 60_000 })).toEqual({ waiting: 0 });
      await last.close();
      expect(last.stats()).toMatchObject({ dead: 0, errors: 0 });

      const rows = await node.database.query(`select bundle_json from records where app_id = 'killed'`);
      const certified = rows.map(
        (row) => /"inputHash":"(sha256:[0-9a-f]{64})"/.exec(String(row['bundle_json']))?.[1] ?? '',
      );
      const numbers = new Set(certified);
      expect(answered.filter((call) => !numbers.has(inputOf(call)))).toEqual([]);
      expect(certified).toHaveLength(numbers.size);
      expect(answered.length).toBeGreaterThanOrEqual(KILLS);
      expect(readdirSync(dir).filter((name) => name.endsWith('.ndjson'))).toEqual([]);
      process.stderr.write(`${KILLS} kills: ${answered.length} answered, ${certified.length} certified, 0 lost\n`);
    },
    KILLS * 60_000,
  );
});
