// C1, C2: what an observer adds to a call, in CPU time, and how far it reads ahead of a reader that stands still.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificates } from '@cer/client';
import { measure, rateOf, ratio } from './measure.mjs';

const GOAL_MS = 0.2;
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

const answering = (text, type) => async () => new Response(text, { headers: { 'content-type': type } });
const PROVIDERS = [
  ['answer', answering(answer, 'application/json')],
  ['stream of 20 events', answering(stream, 'text/event-stream')],
];

const ask = (fetch) => fetch(ADDRESS, { method: 'POST', body });

/** @returns bytes that a provider served to a reader that read one chunk and stands still */
async function servedAhead(observe) {
  let served = 0;
  const provider = async () => {
    const pull = (controller) => {
      if (served === CHUNKS * CHUNK.length) controller.close();
      else controller.enqueue(CHUNK.slice());
      served += CHUNK.length;
    };
    const source = new ReadableStream({ type: 'bytes', pull }, { highWaterMark: 0 });
    return new Response(source, { headers: { 'content-type': 'text/event-stream' } });
  };
  const response = await ask(observe(provider));
  const reader = response.body.getReader();
  await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await reader.cancel();
  return served;
}

export async function clientCases({ rounds, seconds }) {
  const spoolDir = mkdtempSync(join(tmpdir(), 'cer-bench-client-'));
  // The node is silent: sending is measured by the group certify.
  const silent = () => new Promise(() => undefined);
  const options = { appId: 'bench', nodeUrl: 'http://node.test', spoolDir, fetch: silent, maxSpoolBytes: 2 ** 34 };
  const cer = certificates(options);
  const cases = [];
  const ratios = [];
  for (const [name, provider] of PROVIDERS) {
    const observed = cer.fetch({ fetch: provider });
    const measured = await measure(
      [
        { name: `call without observer, ${name}`, run: async () => (await ask(provider)).text() },
        { name: `call with observer, ${name}`, run: async () => (await ask(observed)).text() },
      ],
      { rounds, secondsPerRound: seconds },
    );
    cases.push(...measured);
    const [plain, ours] = measured.map((one) => 1000 / rateOf(measured, one.name));
    ratios.push(ratio('C1', `${GOAL_MS} ms / added CPU time per call, ${name}`, GOAL_MS / (ours - plain), 1));
  }
  const plain = await servedAhead((provider) => provider);
  const ours = await servedAhead((provider) => cer.fetch({ fetch: provider }));
  ratios.push(ratio('C2', 'bytes ahead of a reader that stands still, without / with observer', plain / ours, 0.9));
  if (cer.stats().unsealed + cer.stats().dropped > 0) throw new Error('calls of the benchmark were not sealed');
  await cer.close({ timeoutMs: 0 });
  rmSync(spoolDir, { recursive: true, force: true });
  return { cases, ratios };
}
