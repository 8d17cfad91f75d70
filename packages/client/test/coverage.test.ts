import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { COMPLETION, sendJson } from './model-server.js';
import { hashOf, ObservedProgram, type ObservedCall } from './observed-program.js';

const PATH = '/v1/chat/completions';

let program: ObservedProgram;
afterEach(async () => program.end());

async function start(everyMs?: number, maxSpoolBytes?: number): Promise<void> {
  const coverage = everyMs === undefined ? {} : { everyMs };
  const certify = ({ body }: { readonly body: unknown }): boolean => !JSON.stringify(body).includes('private');
  const options = { coverage, certify, ...(maxSpoolBytes !== undefined && { maxSpoolBytes }) };
  program = await ObservedProgram.start((_, response) => {
    sendJson(response, COMPLETION);
  }, options);
}

async function ask(body: BodyInit): Promise<void> {
  const response = await program.cer.fetch()(`${program.server.url}${PATH}`, { method: 'POST', body });
  await response.text();
}

const reports = (): ObservedCall[] => program.calls().filter(({ snapshot }) => snapshot['model'] === 'coverage');

describe('reports of coverage', () => {
  it('state every call, with and without a certificate', async () => {
    await start();
    await ask('{"model":"example-1"}');
    await ask('{"model":"private"}');
    await ask(new Blob(['{"model":"a stream"}']));
    await program.cer.close({ timeoutMs: 0 });
    await program.cer.close({ timeoutMs: 0 });
    const [report, ...others] = reports();
    expect(others).toEqual([]);
    expect(report?.payload).toMatchObject({
      ...{ report: 1, previous: null, isLast: true, seen: 3, open: 0, sealed: 1, skipped: 1, unsealed: 1, dropped: 0 },
      ...{ attested: 0, waiting: 1, dead: 0, torn: 0 },
      outcomes: { complete: 1, aborted: 0, failed: 0, truncated: 0 },
    });
    const { clientId, startedAt, report: _number, previous, isLast, ...counts } = report?.payload ?? {};
    expect([_number, previous, isLast]).toEqual([1, null, true]);
    expect(report?.snapshot).toMatchObject({ inputHash: hashOf({ clientId, startedAt }), outputHash: hashOf(counts) });
  });

  it('come as late as a timer can where they are to come later', async () => {
    const timers = jest.spyOn(globalThis, 'setInterval');
    await start(Infinity);
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(2 ** 31 - 1);
    timers.mockRestore();
  });

  it('name the previous report that is stored, and the last one is', async () => {
    await start(undefined, 0);
    await ask('{"model":"example-1"}');
    await program.cer.close({ timeoutMs: 0 });
    expect(reports().map(({ payload }) => payload)).toMatchObject([
      { report: 1, previous: null, isLast: true, seen: 1, sealed: 0, dropped: 1 },
    ]);
  });

  it('name the previous report and stop while no call is made', async () => {
    await start(5);
    await ask('{"model":"example-1"}');
    while (reports().length < 1) await new Promise((resolve) => setImmediate(resolve));
    await ask('{"model":"example-1"}');
    while (reports().length < 2) await new Promise((resolve) => setImmediate(resolve));
    await program.cer.close({ timeoutMs: 0 });
    const found = reports();
    const hashes = found.map(({ bundle }) => bundle['certificateHash']);
    expect(found.map(({ payload }) => payload)).toMatchObject([
      { report: 1, previous: null, seen: 1, isLast: false },
      { report: 2, previous: hashes[0], seen: 2, isLast: false },
      { report: 3, previous: hashes[1], seen: 2, isLast: true },
    ]);
  });
});
