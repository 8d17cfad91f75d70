import { availableParallelism } from 'node:os';
import type { BatchSettings, Chunk } from './batch-settings.js';
import { verifyChunk, type ItemResult } from './verify-item.js';
import { WorkerPool } from './worker-pool.js';

/** Chunks queued per thread: keeps it busy with bounded memory. */
const CHUNKS_PER_THREAD = 2;

/** A verified chunk: the results of its items, in order. */
export interface VerifiedChunk {
  readonly results: readonly ItemResult[];
  readonly progress: number;
}

/** Verifies chunks on all cores, in order. */
export async function* verifyInOrder(
  chunks: AsyncGenerator<Chunk>,
  settings: BatchSettings,
): AsyncGenerator<VerifiedChunk> {
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
  const start = async (chunk: Chunk): Promise<VerifiedChunk> => ({
    results: await pool.verify(chunk),
    progress: chunk.progress,
  });
  const pending = [start(first.value), start(second.value)];
  try {
    for await (const chunk of chunks) {
      pending.push(start(chunk));
      const oldest = pending.length >= threads * CHUNKS_PER_THREAD ? pending.shift() : undefined;
      if (oldest !== undefined) yield await oldest;
    }
    for (const verified of pending) yield await verified;
  } finally {
    // Let pending chunks settle before closing the pool, also when the consumer stops early.
    await Promise.allSettled(pending);
    await pool.close();
  }
}
