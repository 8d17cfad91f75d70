import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { parseJsonBody } from '@cer/http-service';
import { lowerPriority } from '@cer/http-service/process';
import { REQUEST_DEPTH } from '@cer/cer-core/seal';
import { MAX_DEPTH } from '@cer/canonical-json';
import { createTimestampVerifier, parseTsaRoots } from '@cer/timestamps';
import { attest } from '../attest/attest.js';
import { certify, create } from '../certify/certify.js';
import type { FromThread, KeyedJob, LargeAnswer, LargeJob, ThreadSettings, ToThread } from '../large-work/large-job.js';
import { ErrorRelay } from '../large-work/relayed-errors.js';
import { registerProject } from '../projects/register.js';
import { reducedSketch } from '../render/large-sketch.js';
import { verifySubmitted, verifySubmittedProject } from '../verify/verify-submitted.js';
import { assertJsonFits, roomInThread } from './json-room.js';
import { registerDeps, threadDeps, ThreadCalls } from './thread-deps.js';

// One thread for large bodies: parses, seals and serializes. Signing and storing are calls to the main thread.

// Where all cores are busy, small requests go first. Only Linux has a priority per thread.
if (process.platform === 'linux') lowerPriority(Number(basename(readlinkSync('/proc/thread-self'))));
const settings = workerData as ThreadSettings;
const utf8 = new TextEncoder();
const timestamps = settings.tsaRootsPem === null ? null : createTimestampVerifier(parseTsaRoots(settings.tsaRootsPem));
const room = roomInThread();
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
  const since = performance.now();
  assertJsonFits(job.body, room);
  // The node's clock: it is read again when the attestation is dated.
  const now = (): Date => new Date(job.nowMs + performance.now() - since);
  if (!('caller' in job)) {
    const body = parseJsonBody(job, { maxDepth: MAX_DEPTH.text });
    const deps = { keySet: await asking.ask({ ask: 'keys' }), timestamps, now };
    const verdict = await (job.kind === 'verify' ? verifySubmitted(deps, body) : verifySubmittedProject(deps, body));
    return { json: jsonOf(verdict), certificateHash: null, isReplay: false };
  }
  return keyedAnswer(job, now, asking);
}

async function keyedAnswer(job: KeyedJob, now: () => Date, asking: ThreadCalls): Promise<LargeAnswer> {
  const { kind, caller, requestId } = job;
  if (kind === 'image' || kind === 'render') {
    const reduced = reducedSketch(kind, parseJsonBody(job), caller.tenantId);
    return { json: jsonOf(reduced), certificateHash: null, isReplay: false };
  }
  if (kind === 'register') {
    const deps = { ...registerDeps(settings, now, asking), timestamps };
    const { body, isReplay } = await registerProject(
      deps,
      parseJsonBody(job, { maxDepth: MAX_DEPTH.text }),
      caller,
      requestId,
    );
    return { json: jsonOf(body), certificateHash: null, isReplay };
  }
  const deps = threadDeps(settings, now, asking);
  if (kind === 'create') {
    const bundle = create(deps, parseJsonBody(job, { maxDepth: REQUEST_DEPTH }), caller);
    return { json: jsonOf(bundle), certificateHash: null, isReplay: false };
  }
  const { json, certificateHash, isReplay } = await (kind === 'certify'
    ? certify(deps, parseJsonBody(job, { maxDepth: REQUEST_DEPTH }), caller, requestId)
    : attest(deps, parseJsonBody(job), caller, requestId));
  return { json: utf8.encode(json), certificateHash, isReplay };
}

function jsonOf(value: unknown): Uint8Array<ArrayBuffer> {
  return utf8.encode(JSON.stringify(value));
}

function send(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
