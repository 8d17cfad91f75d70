import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

// Beside this file, compiled or not.
const THREAD = new URL(`./log-mover-thread${extname(import.meta.url)}`, import.meta.url);

/** Moves the write-ahead log of a file in a thread, which starts with the first move. */
export class LogMover {
  readonly #path: string;
  readonly #execArgv: readonly string[] | undefined;
  #thread: Worker | null = null;
  #isMoving = false;

  /** @param execArgv arguments of Node.js for the thread; for tests on sources */
  constructor(path: string, execArgv?: readonly string[]) {
    this.#path = path;
    this.#execArgv = execArgv;
  }

  /** Begins a move, unless one is under way. One that fails leaves the log for the next. */
  move(): void {
    if (this.#isMoving) return;
    this.#isMoving = true;
    this.#thread ??= this.#started();
    this.#thread.postMessage('move');
  }

  async stop(): Promise<void> {
    await this.#thread?.terminate();
  }

  #started(): Worker {
    const execArgv = this.#execArgv;
    const thread = new Worker(THREAD, { workerData: this.#path, ...(execArgv && { execArgv: [...execArgv] }) });
    thread.unref();
    thread.on('message', () => {
      this.#isMoving = false;
    });
    // The thread ends with the first error, and the next move starts another.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.#thread = null;
      this.#isMoving = false;
    });
    return thread;
  }
}
