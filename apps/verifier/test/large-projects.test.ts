import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '@cer/cer-core';
import { createLargeCheck } from '../src/record/large-check.js';
import { connectToNode } from '../src/record/node-client.js';
import { createRecordCheck } from '../src/record/record-check.js';
import { ask, verdictOf, type Answer } from './ask.js';
import { longProject } from './long-project.js';
import { changed, hashOf, lookupAnswer, plain, projectHashOf } from './records.js';
import { certificatePath, projectPath, startStubNode, type StubNode } from './stub-node.js';
import { CHECK_PROGRAM, startVerifier, type VerifierUnderTest } from './verifier-under-test.js';

// Projects of many megabytes. Visitors need no key, so that anyone may ask for the largest one at any time.

const MIB = 1024 * 1024;
const AT_ONCE = 8 * MIB;

let node: StubNode;
let verifier: VerifierUnderTest;
let certificate: string;

beforeAll(async () => {
  node = await startStubNode();
  verifier = await startVerifier({ nodeUrl: node.url, limits: { recordsAtOnceBytes: AT_ONCE, heapMib: 64 } });
  const record = await plain();
  certificate = `/c/${encodeURIComponent(hashOf(record))}`;
  node.answers.set(certificatePath(hashOf(record)), { status: 200, body: lookupAnswer(record) });
});

afterEach(async () => {
  // Whatever a project did, other records are shown.
  expect(verdictOf(await ask(verifier.url, certificate))).toBe('VERIFIED');
});

afterAll(async () => {
  await verifier.close();
  await node.close();
});

/** Publishes a project. @returns the path of its page */
function publish(name: string, answer: (response: ServerResponse) => void): string {
  const hash = sha256(name);
  node.answers.set(projectPath(hash), answer);
  return `/p/${encodeURIComponent(hash)}`;
}

/** Publishes a project of this size whose last bytes arrive when the test says so. */
function publishHeld(name: string, bytes: number): { readonly path: string; readonly asked: Promise<ServerResponse> } {
  let arrive: (response: ServerResponse) => void = () => undefined;
  const asked = new Promise<ServerResponse>((resolve) => (arrive = resolve));
  const path = publish(name, (response) => {
    response.write(`{"bundleType":"cer.project.bundle.v1","filler":"${'x'.repeat(bytes)}`);
    arrive(response);
  });
  return { path, asked };
}

const refusal = ({ status, headers }: Answer): readonly unknown[] => [status, headers['retry-after']];

describe('a large project', () => {
  it('is verified in full, as a small one is', async () => {
    const bundle = await longProject(1500);
    const path = projectPath(projectHashOf(bundle));
    const roomy = await startVerifier({ nodeUrl: node.url });
    node.answers.set(path, { status: 200, body: { ok: true, ...bundle } });
    const good = await ask(roomy.url, `/p/${projectHashOf(bundle)}`);
    const model = ['embeddedBundles', 'step-1200', 'snapshot', 'model'];
    node.answers.set(path, { status: 200, body: { ok: true, ...changed(bundle, model, 'another') } });
    const bad = await ask(roomy.url, `/p/${projectHashOf(bundle)}`);
    await roomy.close();
    expect([verdictOf(good), verdictOf(bad)]).toEqual(['VERIFIED', 'FAILED']);
    expect(bad.text).toMatch(/class="faulty" data-step="step-1200"/);
  });

  it('is fetched once for all visitors who ask at the same time', async () => {
    const { path, asked } = publishHeld('asked for by many', 6 * MIB);
    const hash = decodeURIComponent(path.slice('/p/'.length));
    const checkRecord = createRecordCheck({
      // Less than two of them have room.
      node: connectToNode({ nodeUrl: node.url, timeoutMs: 60_000, now: () => new Date(), recordsAtOnceBytes: AT_ONCE }),
      checkLarge: createLargeCheck(CHECK_PROGRAM),
      now: () => new Date(),
      logPolicy: null,
    });
    const visitors = [1, 2, 3].map(() => checkRecord('project', hash));
    (await asked).end('"}');
    const [first, ...others] = await Promise.all(visitors);
    expect(first?.outcome.verdict).toBe('FAILED');
    expect(others).toEqual([first, first]);
    expect(node.requests.filter((url) => url === projectPath(hash))).toHaveLength(1);
  });

  it('is checked in a process from 256 KiB on', async () => {
    const checkLarge = createLargeCheck(CHECK_PROGRAM);
    const sizes: number[] = [];
    const checkRecord = createRecordCheck({
      node: connectToNode({ nodeUrl: node.url, timeoutMs: 60_000, now: () => new Date() }),
      checkLarge: (request) => {
        sizes.push(request.source.length);
        return checkLarge(request);
      },
      now: () => new Date(),
      logPolicy: null,
    });
    for (const size of [MIB / 4, MIB / 4 + 1]) {
      const head = '{"bundleType":"cer.project.bundle.v1","filler":"';
      publish(`of ${size} bytes`, (response) => response.end(`${head.padEnd(size - 2, 'x')}"}`));
      const { outcome } = await checkRecord('project', sha256(`of ${size} bytes`));
      expect(outcome.verdict).toBe('FAILED');
    }
    expect(sizes).toEqual([MIB / 4 + 1]);
  });

  it('waits where another one fills the memory', async () => {
    const held = [publishHeld('one', 5 * MIB), publishHeld('another', 5 * MIB)];
    const answers = held.map(({ path }) => ask(verifier.url, path));
    const sources = await Promise.all(held.map(({ asked }) => asked));
    const refused = await Promise.race(answers);
    expect(refusal(refused)).toEqual([503, '5']);
    expect(verdictOf(refused)).toBe('UNAVAILABLE');
    for (const source of sources) source.end('"}');
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 503]);
  });

  it('over the size that a node registers is given up while it arrives', async () => {
    const spaces = Buffer.alloc(MIB, 0x20);
    let sent = 0;
    const parts = function* (): Generator<Buffer> {
      for (; sent < 1024; sent += 1) yield spaces;
    };
    const path = publish('endless', (response) => {
      pipeline(Readable.from(parts()), response, () => undefined);
    });
    const answer = await ask(verifier.url, path);
    expect(refusal(answer)).toEqual([503, '5']);
    expect(sent).toBeLessThan(200);
  });

  it('that needs more memory than a check may have ends that check alone', async () => {
    const path = publish('of empty objects', (response) => {
      response.end(`{"bundleType":"cer.project.bundle.v1","filler":[${'{},'.repeat((4 * MIB) / 3)}{}]}`);
    });
    expect(refusal(await ask(verifier.url, path))).toEqual([503, '5']);
  });
});

it('finds the kind of a pasted hash without fetching the project', async () => {
  const { path, asked } = publishHeld('pasted', 2 * MIB);
  const [answer, source] = await Promise.all([ask(verifier.url, `/lookup?q=${sha256('pasted')}`), asked]);
  if (!source.destroyed) await once(source, 'close');
  expect([answer.status, answer.headers['location'], source.writableFinished]).toEqual([303, path, false]);
});
