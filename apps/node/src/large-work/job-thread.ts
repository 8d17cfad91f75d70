import { Worker } from 'node:worker_threads';
import type { FromThread, LargeAnswer, LargeJob, ThreadCall, ThreadSettings, ToThread } from './large-job.js';
import { ErrorRelay } from './relayed-errors.js';

/** How a thread starts. */
export interface ThreadStart {
  readonly url: URL;
  readonly settings: ThreadSettings;
}

/** Does on the main thread what a job asks for. */
export type AnswerCall = (asked: ThreadCall) => Promise<unknown>;

interface Current {
  readonly answerCall: AnswerCall;
  readonly relay: ErrorRelay;
  readonly resolve: (answer: LargeAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** One thread, with at most one job at a time. */
export class JobThread {
  readonly #worker: Worker;
  #current: Current | null = null;

  /** @param onEnd called when the thread ended by itself: it takes no further job */
  constructor({ url, settings }: ThreadStart, onEnd: (thread: JobThread) => void) {
    this.#worker = new Worker(url, { workerData: settings, execArgv: [] });
    this.#worker.on('message', (message: FromThread) => {
      this.#receive(message);
    });
    const end = (error: unknown): void => {
      onEnd(this);
      this.#take()?.reject(error);
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => {
      end(new Error('a thread for large bodies ended'));
    });
  }

  /** @throws the errors of the job; any error when the thread ends */
  run(job: LargeJob, answerCall: AnswerCall): Promise<LargeAnswer> {
    return new Promise((resolve, reject) => {
      this.#current = { answerCall, relay: new ErrorRelay(), resolve, reject };
      this.#post({ job }, [job.body.buffer]);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(message: FromThread): void {
    if ('call' in message) void this.#answer(message.call, message.asked);
    else if ('answer' in message) this.#take()?.resolve(message.answer);
    else {
      const job = this.#take();
      job?.reject(job.relay.receive(message.thrown));
    }
  }

  async #answer(call: number, asked: ThreadCall): Promise<void> {
    const job = this.#current;
    if (job === null) return;
    try {
      this.#post({ call, result: await job.answerCall(asked) });
    } catch (error) {
      this.#post({ call, thrown: job.relay.send(error) });
    }
  }

  #take(): Current | null {
    const job = this.#current;
    this.#current = null;
    return job;
  }

  #post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
