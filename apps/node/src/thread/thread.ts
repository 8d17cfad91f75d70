import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { parseJsonBody } from '@cer/http-service';
import { REQUEST_DEPTH } from '@cer/cer-core/seal';
import { attest } from '../attest/attest.js';
import { certify, create } from '../certify/certify.js';
import type { FromThread, LargeAnswer, LargeJob, ThreadSettings, ToThread } from '../large-work/large-job.js';
import { ErrorRelay } from '../large-work/relayed-errors.js';
import { threadDeps, ThreadCalls } from './thread-deps.js';

// One thread for large bodies: parses, seals and serializes. Signing and storing are calls to the main thread.

lowerPriority();
const settings = workerData as ThreadSettings;
const utf8 = new TextEncoder();
let calls: ThreadCalls | null = null;

parentPort?.on('message', (message: ToThread) => {
  if ('job' in message) void run(message.job);
  else calls?.settle(message);
});

async function run(job: LargeJob): Promise<void> {
  const relay = new ErrorRelay();
  calls = new ThreadCalls(send, relay);
  try {
    const answer = await answerOf(job, calls);
    send({ answer }, [answer.json.buffer]);
  } catch (error) {
    send({ thrown: relay.send(error) });
  }
}

async function answerOf(job: LargeJob, asking: ThreadCalls): Promise<LargeAnswer> {
  const { kind, body, caller, requestId } = job;
  const since = performance.now();
  // The node's clock: it is read again when the attestation is dated.
  const now = (): Date => new Date(job.nowMs + performance.now() - since);
  const deps = threadDeps(settings, now, asking);
  const jsonOf = (value: unknown): Uint8Array<ArrayBuffer> => utf8.encode(JSON.stringify(value));
  if (kind === 'create') {
    const bundle = create(deps, parseJsonBody({ body }, { maxDepth: REQUEST_DEPTH }), caller);
    return { json: jsonOf(bundle), certificateHash: null, isReplay: false };
  }
  const {
    body: answered,
    certificateHash,
    isReplay,
  } = await (kind === 'certify'
    ? certify(deps, parseJsonBody({ body }, { maxDepth: REQUEST_DEPTH }), caller, requestId)
    : attest(deps, parseJsonBody({ body }), caller, requestId));
  return { json: jsonOf(answered), certificateHash, isReplay };
}

function send(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

/** Where all cores are busy, small requests go first. Only Linux has priorities of threads; elsewhere all are equal. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  const threadId = Number(basename(readlinkSync('/proc/thread-self')));
  setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
}
