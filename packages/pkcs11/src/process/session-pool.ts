import { CKF, CKM_EDDSA, type Cryptoki, type Handle } from './cryptoki.js';

/** The number of native calls that Node runs concurrently; further signatures are queued. */
const SESSIONS = 4;
/** A signature has 64 bytes; a larger buffer distinguishes a module that returns something else from one that fails. */
const ROOM = 256;

interface OpenToken {
  readonly cryptoki: Cryptoki;
  readonly slot: Handle;
  /** Keeps the login, which applies to every session of this process. */
  readonly first: Handle;
  readonly hasThreads: boolean;
}

/** Sessions with one token. Each has at most one signature in progress, as the standard requires. */
export class SessionPool {
  readonly cryptoki: Cryptoki;
  readonly #slot: Handle;
  readonly #hasThreads: boolean;
  readonly #idle: Handle[];
  readonly #waiting: ((session: Handle) => void)[] = [];
  #open = 1;

  constructor({ cryptoki, slot, first, hasThreads }: OpenToken) {
    this.cryptoki = cryptoki;
    this.#slot = slot;
    this.#hasThreads = hasThreads;
    this.#idle = [first];
  }

  /** @returns the module's answer, at most 256 bytes */
  async sign(privateKey: Handle, message: Uint8Array): Promise<Uint8Array> {
    const session = await this.#take();
    try {
      this.cryptoki.C_SignInit(session, { mechanism: CKM_EDDSA }, privateKey);
      // A view of a larger buffer: the address of an empty one would be null, which modules reject.
      const input = Buffer.concat([message, Buffer.of(0)]).subarray(0, message.length);
      const into = Buffer.alloc(ROOM);
      const signature = this.#hasThreads
        ? await this.cryptoki.C_SignAsync(session, input, into)
        : this.cryptoki.C_Sign(session, input, into);
      return new Uint8Array(signature);
    } finally {
      this.#giveBack(session);
    }
  }

  /** Reads objects. */
  async read<T>(work: (session: Handle) => T): Promise<T> {
    const session = await this.#take();
    try {
      return work(session);
    } finally {
      this.#giveBack(session);
    }
  }

  /** Creates or erases objects in a separate session: signing sessions are read-only. */
  write<T>(work: (session: Handle) => T): T {
    const session = this.cryptoki.C_OpenSession(this.#slot, CKF.serialSession | CKF.rwSession);
    try {
      return work(session);
    } finally {
      this.cryptoki.C_CloseSession(session);
    }
  }

  async #take(): Promise<Handle> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#hasThreads && this.#open < SESSIONS) {
      const session = this.cryptoki.C_OpenSession(this.#slot, CKF.serialSession);
      this.#open += 1;
      return session;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveBack(session: Handle): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(session);
    else next(session);
  }
}
