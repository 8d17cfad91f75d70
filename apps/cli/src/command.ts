import type { ExitCode } from './exit-code.js';
import type { Io } from './io.js';

/** One row of the command registry, with all data for help and dispatch. */
export interface Command {
  /** One word or several, for example `keys show`. */
  readonly name: string;
  readonly summary: string;
  /** After `cer `; one line for each way to call it. */
  readonly usage: readonly string[];
  /** Flag and what it does. */
  readonly options: readonly (readonly [string, string])[];
  /** Command line and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /**
   * @param args the words after the name
   * @throws UsageError for anything wrong with the call
   */
  readonly run: (args: readonly string[], io: Io) => Promise<ExitCode>;
}
