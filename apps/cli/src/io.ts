/** A stream that takes text. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width in characters; undefined when it is no terminal. */
  readonly columns: number | undefined;
}

/** All that a command needs of the process, so that a test can run it without one. Files are real files. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** A fresh UUID. */
  readonly randomId: () => string;
  /** Cryptographically random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
}
