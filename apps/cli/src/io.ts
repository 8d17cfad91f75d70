/** A stream that takes text. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width in characters; undefined when the stream is not a terminal. */
  readonly columns: number | undefined;
}

/** Everything a command needs from the process, so that tests can run it without one. Files are real files. */
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
  /** Has something undone when the process is interrupted, as by Ctrl-C. @returns a function that takes this back */
  readonly onInterrupt: (undo: () => void) => () => void;
  /** Resolves when the process is interrupted, which continues; the next signal ends it, unless this is called again. */
  readonly untilInterrupted: () => Promise<void>;
}
