import { availableParallelism } from 'node:os';
import { EXIT, weightiest, type ExitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import type { BatchCall, BatchSettings, Chunk } from './batch-settings.js';
import { BatchReport } from './batch-report.js';
import { chunksOf, measure } from './items.js';
import { ProgressBar } from './progress-bar.js';
import { verifyChunk, type ItemResult } from './verify-item.js';
import { WorkerPool } from './worker-pool.js';

/** Chunks that wait for each thread: it never idles, and memory stays bounded. */
const CHUNKS_PER_THREAD = 2;

/**
 * Verifies many, on all cores, in order; one line each and a summary on stdout.
 * @returns the weightiest exit code of all
 */
export async function verifyBatch(call: BatchCall, io: Io): Promise<ExitCode> {
  const settings: BatchSettings = {
    keyDocument: call.keys.material?.document ?? null,
    revocationsKnownUntil: call.keys.material?.voucher?.revocationsKnownUntil ?? null,
    nodeId: call.nodeId,
    requireAttestation: call.requireAttestation,
    maxBytes: call.maxBytes,
    verifiedAt: io.now().toISOString(),
  };
  const report = new BatchReport(call, io);
  const bar = new ProgressBar(io.stderr, io.stderr.isTerminal ? await measure(call.sources) : null, io.now);
  const codes = new Set<ExitCode>();
  for await (const { results, progress } of verifyInOrder(call, settings, io)) {
    bar.clear();
    for (const result of results) {
      codes.add(result.exitCode);
      report.add(result);
    }
    bar.advance(progress, results.length);
  }
  bar.clear();
  const exitCode = weightiest(codes);
  report.finish(exitCode === EXIT.failed);
  if (exitCode === EXIT.usage) io.stderr.write(`cer: ${report.unreadable} of ${report.total} could not be read\n`);
  return exitCode;
}

interface Verified {
  readonly results: readonly ItemResult[];
  readonly progress: number;
}

async function* verifyInOrder(call: BatchCall, settings: BatchSettings, io: Io): AsyncGenerator<Verified> {
  const chunks = chunksOf(call.sources, io.stdin, call.maxBytes);
  const first = await chunks.next();
  if (first.done === true) return;
  const second = await chunks.next();
  if (second.done === true) {
    // A thread takes longer to start than a few certificates to verify.
    yield { results: await verifyChunk(first.value, settings), progress: first.value.progress };
    return;
  }
  const threads = availableParallelism();
  const pool = new WorkerPool(settings, threads);
  const start = async (chunk: Chunk): Promise<Verified> => ({
    results: await pool.verify(chunk),
    progress: chunk.progress,
  });
  try {
    const pending = [start(first.value), start(second.value)];
    for await (const chunk of chunks) {
      pending.push(start(chunk));
      const oldest = pending.length >= threads * CHUNKS_PER_THREAD ? pending.shift() : undefined;
      if (oldest !== undefined) yield await oldest;
    }
    for (const verified of pending) yield await verified;
  } finally {
    await pool.close();
  }
}
