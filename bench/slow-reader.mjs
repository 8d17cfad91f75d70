// A process that reads a stream slowly: node --expose-gc slow-reader.mjs ADDRESS plain|observed. Prints its memory in bytes.
// It parses each event, as every SDK does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { certificates } from '@cer/client';
import { median } from './measure.mjs';

const READS = 200;
const READ_EVERY_MS = 10;
const SAMPLE_EVERY = 10;

const [, , address, arm] = process.argv;
const spoolDir = mkdtempSync(join(tmpdir(), 'cer-bench-reader-'));
// Both arms have the client loaded: what differs is that one call is observed.
const cer = certificates({ appId: 'bench', nodeUrl: 'http://node.test', spoolDir, fetch: () => new Promise(() => {}) });
const ask = arm === 'observed' ? cer.fetch({ fetch }) : fetch;

const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true });
const response = await ask(address, { method: 'POST', body });
const reader = response.body.getReader();
const samples = [];
const decoder = new TextDecoder();
let rest = '';
let words = 0;
for (let read = 1; read <= READS; read += 1) {
  const { value } = await reader.read();
  const events = (rest + decoder.decode(value, { stream: true })).split('\n\n');
  rest = events.pop();
  for (const event of events) words += JSON.parse(event.slice('data: '.length)).choices.length;
  await passed(READ_EVERY_MS);
  if (read % SAMPLE_EVERY !== 0) continue;
  globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  samples.push({ rss, heap: heapUsed + external });
}
await reader.cancel();
if (words === 0) throw new Error('no event was read');
const half = samples.slice(samples.length / 2);
console.log(JSON.stringify({ rss: median(half.map(({ rss }) => rss)), heap: median(half.map(({ heap }) => heap)) }));
await cer.close({ timeoutMs: 0 });
rmSync(spoolDir, { recursive: true, force: true });
process.exit();
