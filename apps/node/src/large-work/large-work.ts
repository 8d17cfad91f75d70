import { availableParallelism } from 'node:os';
import type { Attestor } from '@cer/cer-core/attest';
import type { Caller } from '../auth/key-directory.js';
import type { NodeLog } from '../log/node-log.js';
import type { WorkTurns } from '../limits/work-turns.js';
import { recordExecution, type RecordDeps } from '../records/write/record-execution.js';
import type { Signing } from '../signing/signing.js';
import type { Store } from '../store/index.js';
import { JobLines } from './job-lines.js';
import { JobThread, type AnswerCall, type ThreadStart } from './job-thread.js';
import type { LargeAnswer, LargeJob, LargeJobKind, LargeVerifyKind } from './large-job.js';

/** Maximum threads; the event loop keeps a core where there are several. */
const THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));

export interface LargeWorkDeps extends RecordDeps {
  readonly signing: Pick<Signing, 'attestorAt' | 'published'>;
  readonly projects: Pick<Store['projects'], 'registerOnce' | 'findOwnByHash'>;
  readonly fullRecords: Pick<Store['records'], 'visibilityOfFullRecords'>;
  readonly turns: Pick<WorkTurns, 'take'>;
  /** Null: no transparency log. */
  readonly log: Pick<NodeLog, 'proofs'> | null;
  readonly now: () => Date;
}

/** A request with a large body, or a large line of a batch. */
export interface LargeRequest {
  readonly body: Uint8Array;
  readonly requestId: string;
  readonly signal?: AbortSignal;
}

type JobFacts = Pick<LargeJob, 'body' | 'requestId' | 'nowMs'>;

/** Requests without a key, as one holder. Tenant ids are not empty. */
const KEYLESS = '';

/** Runs a job; never rejects. */
type StartJob = (thread: JobThread) => Promise<void>;

/**
 * Works on large bodies in a few threads, which start with the first one. A thread parses, seals and serializes; the
 * main thread signs and stores, within the quota and in the turns of the tenants. Answers and errors are those of the
 * same work on the event loop.
 */
export class LargeWork {
  readonly #start: ThreadStart;
  readonly #deps: LargeWorkDeps;
  readonly #lines = new JobLines<StartJob>();
  readonly #threads = new Set<JobThread>();
  readonly #idle = new Set<JobThread>();

  constructor(start: ThreadStart, deps: LargeWorkDeps) {
    this.#start = start;
    this.#deps = deps;
  }

  /**
   * Takes the body over: it must not be read afterwards.
   * @throws the errors of certify, create, attest and register; the signal's reason when it aborted before the job began
   */
  run(kind: LargeJobKind, request: LargeRequest, caller: Caller): Promise<LargeAnswer> {
    const { tenantId, keyId, scopes, publish, limits } = caller;
    const sent: Caller = { tenantId, keyId, scopes, publish, ...(limits !== undefined && { limits }) };
    return this.#wait(tenantId, request, {
      job: (facts) => ({ kind, caller: sent, ...facts }),
      answerCall: this.#callsOf(caller),
    });
  }

  /**
   * The same without a key. All such requests take turns as one holder.
   * @param began called when a thread takes the body
   * @throws the errors of verification; the signal's reason when it aborted before the job began
   */
  verify(kind: LargeVerifyKind, request: LargeRequest, began: () => void): Promise<LargeAnswer> {
    const answerCall: AnswerCall = async ({ ask }) => {
      if (ask !== 'keys') throw new Error('verification asked for more than the published keys');
      return this.#deps.signing.published().keySet;
    };
    return this.#wait(KEYLESS, request, {
      job: (facts) => {
        began();
        return { kind, ...facts };
      },
      answerCall,
    });
  }

  #wait(
    holder: string,
    { body, requestId, signal }: LargeRequest,
    { job, answerCall }: { readonly job: (facts: JobFacts) => LargeJob; readonly answerCall: AnswerCall },
  ): Promise<LargeAnswer> {
    const work = async (thread: JobThread): Promise<LargeAnswer> => {
      signal?.throwIfAborted();
      return thread.run(job({ body: ownBytes(body), requestId, nowMs: this.#deps.now().getTime() }), answerCall);
    };
    return new Promise((resolve) => {
      this.#lines.add(holder, async (thread) => {
        const answer = work(thread);
        resolve(answer);
        await Promise.allSettled([answer]);
      });
      this.#serve();
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #serve(): void {
    const thread = this.#idleThread();
    if (thread === null) return;
    const start = this.#lines.next();
    if (start === undefined) return;
    this.#idle.delete(thread);
    void start(thread).then(() => {
      if (this.#threads.has(thread)) this.#idle.add(thread);
      this.#serve();
    });
  }

  #idleThread(): JobThread | null {
    const [idle] = this.#idle;
    if (idle !== undefined) return idle;
    if (this.#threads.size >= THREADS) return null;
    const thread = new JobThread(this.#start, (ended) => {
      this.#threads.delete(ended);
      this.#idle.delete(ended);
    });
    this.#threads.add(thread);
    this.#idle.add(thread);
    return thread;
  }

  #callsOf(caller: Caller): AnswerCall {
    const { signing, turns, log, projects, fullRecords, now } = this.#deps;
    // Asked for once per job, so that kid, receipt, envelope and reseal use one key even during a rotation.
    let attestor: Promise<Attestor> | null = null;
    return async (call) => {
      switch (call.ask) {
        case 'record':
          await turns.take(caller.tenantId);
          return recordExecution(this.#deps, call.record, caller.limits);
        case 'register':
          await turns.take(caller.tenantId);
          return projects.registerOnce(call.registration, call.leaf);
        case 'own project':
          return projects.findOwnByHash(...call.of);
        case 'full records':
          return fullRecords.visibilityOfFullRecords(...call.of);
        case 'keys':
          return signing.published().keySet;
        case 'proof':
          if (log === null) throw new Error('a thread asked for a proof of no log');
          return log.proofs.find(...call.of);
        case 'attestor':
        case 'sign':
      }
      const { signer, nodeId, nodeRuntimeHash } = await (attestor ??= signing.attestorAt(now()));
      const { kid, publicKey } = signer;
      return call.ask === 'sign' ? signer.sign(call.message) : { nodeId, nodeRuntimeHash, kid, publicKey };
    };
  }
}

/** The bytes in their own buffer, which a thread can take over. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
