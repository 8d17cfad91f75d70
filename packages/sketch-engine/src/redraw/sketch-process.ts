import { Worker } from 'node:worker_threads';
import type { ProcessFile, ProcessOrder, ProcessReport, ThreadOrder } from './messages.js';

const WATCH_EVERY_MS = 20;
const MAX_HEAP_MB = 768;
/** Larger than a page's stack, so that a sketch that did not overflow there does not overflow here. */
const STACK_MB = 4;

// The program of the process that holds a sketch: its thread draws, and this one watches memory and parent.

function report(message: ProcessReport): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Ends the process once its report was read. */
function endWith(message: ProcessReport): void {
  process.stdout.write(`${JSON.stringify(message)}\n`, () => process.exit(0));
}

interface ReadOrder extends Omit<ProcessOrder, 'files'> {
  readonly files: Readonly<Record<ProcessFile, Uint8Array>>;
}

async function readOrder(): Promise<ReadOrder> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const start = 4 + bytes.readUInt32LE(0);
  const order = JSON.parse(bytes.toString('utf8', 4, start)) as ProcessOrder;
  const files: Partial<Record<ProcessFile, Uint8Array>> = {};
  let at = start;
  for (const file of order.files) {
    files[file.name] = bytes.subarray(at, at + file.bytes);
    at += file.bytes;
  }
  return Object.assign(order, { files: files as Record<ProcessFile, Uint8Array> });
}

/** Ends the process when it has too much memory, or no parent any more, which would end it after its time. */
function watch(maxBytes: number): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
    if (process.memoryUsage.rss() > maxBytes) endWith({ kind: 'memory' });
  }, WATCH_EVERY_MS).unref();
}

async function main(): Promise<void> {
  const { code, input, files, maxBytes } = await readOrder();
  const { 'sketch-thread': program, ...realm } = files;
  const workerData: ThreadOrder = { code, input, files: realm };
  watch(maxBytes);
  const thread = new Worker(Buffer.from(program).toString('utf8'), {
    eval: true,
    workerData,
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, stackSizeMb: STACK_MB },
  });
  thread.on('message', report);
  thread.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') endWith({ kind: 'memory' });
    else process.exit(1);
  });
}

void main();
