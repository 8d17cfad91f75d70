// The cost of an observer for a call: C1 in time, C2 in bytes read ahead of a stalled reader, C3 in the memory of a
// process whose reader is slow. Each beside the same call without an observer.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { certificates } from '@cer/client';
import { caseOf, measure, median, rateOf, ratio } from './measure.mjs';

const GOAL_MS = 0.2;
const MEMORY_GOAL = 1.1;
const UPPER = { atMost: true };
const WARM_UP_CALLS = 500;
const ADDRESS = 'http://models.test/v1/chat/completions';
const CHUNK = new TextEncoder().encode(`: ${'x'.repeat(64 * 1024)}\n\n`);
const CHUNKS = 400;

const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(800) }], temperature: 0.5 });
const choice = { index: 0, message: { role: 'assistant', content: 'y'.repeat(800) }, finish_reason: 'stop' };
const answer = JSON.stringify({ id: 'chatcmpl-1', choices: [choice] });
const events = Array.from({ length: 20 }, (_, at) => {
  const choices = [{ index: 0, delta: { content: `word ${at} ` }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', choices })}\n\n`;
});
const stream = `${events.join('')}data: [DONE]\n\n`;

/** Time of the provider's answer. Every real provider takes longer. */
const PROVIDER_MS = 1;

/**
 * A provider that answers in a later turn of the event loop, as every provider does. Without one no timer runs during the
 * calls, so nothing is flushed to the disk, and nothing that a garbage collection found is released.
 * @param ms until its answer, with the turn; it waits busily, since timers differ by more than what is measured
 */
const answering = (text, type, ms) => async () => {
  const until = performance.now() + ms;
  await turn();
  while (performance.now() < until);
  return new Response(text, { headers: { 'content-type': type } });
};
const KINDS = [
  ['answer', answer, 'application/json'],
  ['stream of 20 events', stream, 'text/event-stream'],
];

const ask = (fetch) => fetch(ADDRESS, { method: 'POST', body });

/** How often the system took a processor from this process for another one. */
const interruptions = () => process.resourceUsage().involuntaryContextSwitches;

/**
 * Times of single calls in turn, so that the machine's load affects all alike. Their order is drawn, since a call is slower
 * behind an observed one. Calls without an observer are there twice: what one kind adds to the other is noise.
 * @returns of all calls, and of those that the system did not interrupt: on a busy machine the longest calls are those
 *   that waited for a processor
 */
async function latencies(plain, observed, calls) {
  const times = { plain: [], again: [], observed: [] };
  const uninterrupted = { plain: [], again: [], observed: [] };
  const arms = Object.entries({ plain, again: plain, observed });
  for (let call = -WARM_UP_CALLS; call < calls; call += 1) {
    const first = Math.floor(Math.random() * arms.length);
    const [one, ...others] = [...arms.slice(first), ...arms.slice(0, first)];
    for (const [arm, fetch] of Math.random() < 0.5 ? [one, ...others] : [one, ...others.reverse()]) {
      const interruptionsBefore = interruptions();
      const before = performance.now();
      await (await ask(fetch)).text();
      const ms = performance.now() - before;
      if (call < 0) continue;
      times[arm].push(ms);
      if (interruptions() === interruptionsBefore) uninterrupted[arm].push(ms);
    }
  }
  return { times, uninterrupted };
}

function percentile99(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)];
}

const medianAdded = (to, from) => median(to) - median(from);
const p99Added = (to, from) => percentile99(to) - percentile99(from);

/** The additional time of a call with an observer, beside the noise of the same comparison. */
async function addedCases(name, plain, observed, calls) {
  const { times, uninterrupted } = await latencies(plain, observed, calls);
  const one = (title, unit, value) => caseOf(`${title}, ${name}`, unit, [value]);
  const added = { median: medianAdded(times.observed, times.plain), p99: p99Added(times.observed, times.plain) };
  const cases = [
    caseOf(`latency without observer, ${name}`, 'ms', times.plain),
    caseOf(`latency with observer, ${name}`, 'ms', times.observed),
    one('calls interrupted by the system', '%', 100 * (1 - uninterrupted.observed.length / calls)),
    one('added to the median', 'ms', added.median),
    one('added to the median by nothing', 'ms', medianAdded(times.again, times.plain)),
    one('added to the p99', 'ms', added.p99),
    one('added to the p99 by nothing', 'ms', p99Added(times.again, times.plain)),
    one('added to the p99 of calls not interrupted', 'ms', p99Added(uninterrupted.observed, uninterrupted.plain)),
  ];
  return { cases, added };
}

/** Memory of processes that read a stream slowly, from a server that sends as fast as it may. */
async function slowReaders(runs) {
  const flood = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = () => {
      while (response.write(stream.slice(0, -'data: [DONE]\n\n'.length))) if (response.destroyed) return;
      response.once('drain', send);
    };
    send();
  });
  await once(flood.listen(0, '127.0.0.1'), 'listening');
  // Young objects have the same space in both arms: V8 widens it once, at any time, for every program that
  // reads a stream, which is more than the observer keeps.
  const young = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
  const program = ['--expose-gc', ...young, join(import.meta.dirname, 'slow-reader.mjs')];
  const found = { plain: [], observed: [] };
  for (let run = 0; run < runs; run += 1) {
    for (const arm of ['plain', 'observed']) {
      const args = [...program, `http://127.0.0.1:${flood.address().port}/v1/chat/completions`, arm];
      found[arm].push(JSON.parse((await promisify(execFile)(process.execPath, args)).stdout));
    }
  }
  flood.closeAllConnections();
  flood.close();
  return found;
}

/** @returns bytes that a provider served to a reader that read one chunk and then stalled */
async function servedAhead(fetch, provider) {
  let served = 0;
  provider.answer = async () => {
    const pull = (controller) => {
      if (served === CHUNKS * CHUNK.length) controller.close();
      else controller.enqueue(CHUNK.slice());
      served += CHUNK.length;
    };
    const source = new ReadableStream({ type: 'bytes', pull }, { highWaterMark: 0 });
    return new Response(source, { headers: { 'content-type': 'text/event-stream' } });
  };
  const response = await ask(fetch);
  const reader = response.body.getReader();
  await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await reader.cancel();
  return served;
}

export async function clientCases({ rounds, seconds, calls, readers }) {
  const spoolDir = mkdtempSync(join(tmpdir(), 'cer-bench-client-'));
  // One observer and the global fetch, as in most programs: the provider's answers change from case to case.
  const provider = { answer: null };
  const plainFetch = () => provider.answer();
  const networkFetch = globalThis.fetch;
  globalThis.fetch = plainFetch;
  // The node is silent: sending is measured by the group certify.
  const silent = () => new Promise(() => undefined);
  const options = { appId: 'bench', nodeUrl: 'http://node.test', spoolDir, fetch: silent, maxSpoolBytes: 2 ** 34 };
  const cer = certificates(options);
  const observed = cer.fetch({ fetch: globalThis.fetch });
  const cases = [];
  const ratios = [];
  for (const [name, text, type] of KINDS) {
    provider.answer = answering(text, type, 0);
    const measured = await measure(
      [
        { name: `call without observer, ${name}`, run: async () => (await ask(plainFetch)).text() },
        { name: `call with observer, ${name}`, run: async () => (await ask(observed)).text() },
      ],
      { rounds, secondsPerRound: seconds },
    );
    cases.push(...measured);
    const [plain, ours] = measured.map((one) => 1000 / rateOf(measured, one.name));
    const atMost = (title, ms) => ratios.push(ratio('C1', `ms added to a call, ${title}`, ms, GOAL_MS, UPPER));
    for (const [when, ms] of [
      ['at once', 0],
      [`after ${PROVIDER_MS} ms`, PROVIDER_MS],
    ]) {
      provider.answer = answering(text, type, ms);
      const found = await addedCases(`${name} ${when}`, plainFetch, observed, calls);
      cases.push(...found.cases);
      atMost(`median, ${name} ${when}`, found.added.median);
      atMost(`p99, ${name} ${when}`, found.added.p99);
    }
    atMost(`CPU time, ${name}`, ours - plain);
  }
  const plain = await servedAhead(plainFetch, provider);
  const ours = await servedAhead(observed, provider);
  globalThis.fetch = networkFetch;
  ratios.push(ratio('C2', 'bytes ahead of a stalled reader, without / with observer', plain / ours, 0.9));
  const memory = await slowReaders(readers);
  for (const kind of ['rss', 'heap']) {
    const [without, withObserver] = [memory.plain, memory.observed].map((runs) =>
      runs.map((run) => run[kind] / 2 ** 20),
    );
    cases.push(caseOf(`${kind} of a slow reader without observer`, 'MiB', without));
    cases.push(caseOf(`${kind} of a slow reader with observer`, 'MiB', withObserver));
    const value = median(withObserver) / median(without);
    ratios.push(ratio('C3', `${kind} of a slow reader, with / without observer`, value, MEMORY_GOAL, UPPER));
  }
  if (cer.stats().unsealed + cer.stats().dropped > 0) throw new Error('calls of the benchmark were not sealed');
  await cer.close({ timeoutMs: 0 });
  rmSync(spoolDir, { recursive: true, force: true });
  return { cases, ratios };
}
