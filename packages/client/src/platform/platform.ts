import type { Spool } from '../spool/spool.js';

/** SHA-256 over chunks. */
export interface Sha256 {
  update(bytes: Uint8Array): void;
  /** 64 lower-case hex digits. */
  hex(): string;
}

/** A value that asynchronous work inherits. */
export interface Scope<T> {
  /** The value of the running work; undefined outside of any. */
  current(): T | undefined;
  run<R>(value: T, work: () => R): R;
}

/** The differences between Node.js and other platforms. */
export interface Platform {
  sha256(): Sha256;
  /** SHA-256 of bytes, 64 lower-case hex digits. */
  sha256Of(bytes: Uint8Array): string;
  /** Null where asynchronous work inherits nothing. */
  createScope<T>(): Scope<T> | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the spool unless the options name one; null: in memory. */
  readonly spoolDir: string | null;
  /** Null where there is no file system. @throws Error when the folder cannot be used */
  readonly openFileSpool: ((dir: string, failed: (error: unknown) => void) => Spool) | null;
  /** Resolves in a later turn of the event loop. */
  readonly turn: () => Promise<void>;
  /** Lets the process end although a timer waits. */
  readonly unref: (timer: ReturnType<typeof setTimeout>) => void;
  readonly warn: (message: string) => void;
}
