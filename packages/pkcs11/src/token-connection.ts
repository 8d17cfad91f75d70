import { statSync } from 'node:fs';
import { readNothing, type ReadResult, type Request, type TokenAddress } from './messages.js';
import { ModuleProcess, type ProcessOptions } from './module-process.js';
import { Pkcs11Error } from './pkcs11-error.js';

export interface ConnectionOptions extends ProcessOptions {
  /** Minimum interval between logins, so that an absent token is not tried on every request. */
  readonly reopenAfterMs: number;
}

/** Sends requests to the current module process. */
export interface TokenCalls {
  /**
   * @param options `again`: may be retried, because the request is idempotent
   * @throws Pkcs11Error
   */
  ask<T>(request: Request, read: ReadResult<T>, options: { readonly again: boolean }): Promise<T>;
  close(): void;
}

/**
 * A login that reconnects automatically: after a failure of the module its process is replaced by a new one, which
 * loads the library, finds the token and logs in again, free of state from old sessions.
 */
export class TokenConnection implements TokenCalls {
  readonly #address: TokenAddress;
  readonly #options: ConnectionOptions;
  #current: { readonly process: ModuleProcess; readonly opened: Promise<null> } | null = null;
  #openedAt = -Infinity;
  #lastFailure: Pkcs11Error | null = null;
  /** State of the PIN file when the token refused its PIN. */
  #refusedPin: string | null = null;
  #isClosed = false;

  constructor(address: TokenAddress, options: ConnectionOptions) {
    this.#address = address;
    this.#options = options;
  }

  async ask<T>(request: Request, read: ReadResult<T>, options: { readonly again: boolean }): Promise<T> {
    const process = await this.#open();
    try {
      return await process.ask(request, read);
    } catch (error) {
      if (!isPassing(error)) throw error;
      process.end();
      this.#lastFailure = error;
      if (!options.again) throw error;
    }
    return (await this.#open()).ask(request, read);
  }

  /** Logs out. Pending calls fail, and so does every later one. */
  close(): void {
    this.#isClosed = true;
    this.#current?.process.end();
  }

  /** The single process, started on demand; of concurrent callers one starts it. */
  async #open(): Promise<ModuleProcess> {
    if (this.#current === null || this.#current.process.isOver) {
      const refusal = this.#refusalToOpen();
      if (refusal !== null) throw refusal;
      this.#openedAt = performance.now();
      const process = new ModuleProcess(this.#options);
      this.#current = { process, opened: this.#logIn(process) };
    }
    const { process, opened } = this.#current;
    await opened;
    return process;
  }

  #refusalToOpen(): Pkcs11Error | null {
    if (this.#isClosed) return new Pkcs11Error('PKCS11_UNAVAILABLE', 'PKCS#11 token: was closed');
    if (this.#lastFailure === null) return null;
    const isSoon = performance.now() - this.#openedAt < this.#options.reopenAfterMs;
    // A wrong PIN tried on every request would lock the token within a second.
    const isSamePin = this.#refusedPin !== null && this.#refusedPin === stateOf(this.#address.pinFile);
    return isSoon || isSamePin ? this.#lastFailure : null;
  }

  async #logIn(process: ModuleProcess): Promise<null> {
    const pinFile = stateOf(this.#address.pinFile);
    try {
      return await process.ask({ operation: 'open', address: this.#address }, readNothing);
    } catch (error) {
      process.end();
      if (error instanceof Pkcs11Error) {
        this.#lastFailure = error;
        if (error.code === 'PKCS11_PIN_REFUSED') this.#refusedPin = pinFile;
      }
      throw error;
    }
  }
}

function isPassing(error: unknown): error is Pkcs11Error {
  return error instanceof Pkcs11Error && error.code === 'PKCS11_UNAVAILABLE';
}

/** Identifies the content of a file without reading it. */
function stateOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${size} ${mtimeNs}`;
  } catch {
    return 'unreadable';
  }
}
