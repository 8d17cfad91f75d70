import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readReply, type ReadResult, type Request } from './messages.js';
import { Pkcs11Error } from './pkcs11-error.js';

// Through `dist`, so that tests, which run from source, also start the built program.
const PROGRAM = fileURLToPath(new URL('../dist/process/main.js', import.meta.url));

interface Pending {
  readonly settle: (result: unknown) => void;
  readonly fail: (error: Pkcs11Error) => void;
}

export interface ProcessOptions {
  /** Environment of the process; vendors' libraries read their settings from it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Maximum duration of one call. */
  readonly timeoutMs: number;
}

/** A child process that has loaded the module. Once ended it is not restarted; the connection starts another. */
export class ModuleProcess {
  readonly #child: ChildProcess;
  readonly #timeoutMs: number;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #over: Pkcs11Error | null = null;

  constructor({ environment, timeoutMs }: ProcessOptions) {
    this.#timeoutMs = timeoutMs;
    this.#child = fork(PROGRAM, [], {
      // Does not inherit this process's flags: a debugger port, for example, can be opened only once.
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      ...(environment !== undefined && { env: { ...environment } }),
    });
    this.#child.on('message', (message) => {
      this.#take(message);
    });
    this.#child.on('error', () => {
      this.#end('PKCS#11 process: cannot be started');
    });
    this.#child.on('exit', () => {
      this.#end('PKCS#11 process: ended while the module worked');
    });
    this.#keepAlive(false);
  }

  get isOver(): boolean {
    return this.#over !== null;
  }

  /**
   * @throws Pkcs11Error the error that the process returns; PKCS11_UNAVAILABLE when it ends or does not answer in time
   */
  ask<T>(request: Request, read: ReadResult<T>): Promise<T> {
    if (this.#over !== null) return Promise.reject(this.#over);
    const id = (this.#lastId += 1);
    return new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        // A library that hangs cannot be interrupted; only ending its process helps.
        this.#end('PKCS#11 module: did not answer in time');
      }, this.#timeoutMs);
      this.#pending.set(id, {
        settle: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
        fail: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.#keepAlive(true);
      this.#child.send({ id, request }, (error) => {
        if (error !== null) this.#end('PKCS#11 process: cannot be reached');
      });
    }).then(read);
  }

  /** Ends the process and its login. Pending calls fail. */
  end(): void {
    this.#end('PKCS#11 process: was ended');
  }

  #take(message: unknown): void {
    const reply = readReply(message);
    const pending = reply === null ? undefined : this.#pending.get(reply.id);
    if (reply === null || pending === undefined) return;
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#keepAlive(false);
    if ('result' in reply) pending.settle(reply.result);
    else pending.fail(new Pkcs11Error(reply.refusal.code, reply.refusal.message));
  }

  #end(why: string): void {
    if (this.#over !== null) return;
    this.#over = new Pkcs11Error('PKCS11_UNAVAILABLE', why);
    this.#child.kill('SIGKILL');
    this.#keepAlive(false);
    for (const { fail } of this.#pending.values()) fail(this.#over);
    this.#pending.clear();
  }

  /** Only a pending call keeps the service's process alive. */
  #keepAlive(isNeeded: boolean): void {
    if (isNeeded) {
      this.#child.ref();
      this.#child.channel?.ref();
    } else {
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }
}
