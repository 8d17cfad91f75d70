import { parentPort, workerData } from 'node:worker_threads';
import type { BatchSettings, Chunk } from './batch-settings.js';
import { verifyChunk } from './verify-item.js';

// One thread of a batch: chunks in, results out.

const settings = workerData as BatchSettings;

parentPort?.on('message', (chunk: Chunk) => {
  void verifyChunk(chunk, settings).then((results) => parentPort?.postMessage(results));
});
