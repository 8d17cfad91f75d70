import { EXIT, type ExitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { printableJson } from '../printable.js';

/** The details that a failed command reports. */
export interface Failure {
  readonly reason: string;
  readonly [name: string]: unknown;
}

/** Ends a command that could check nothing: one JSON report on stderr. @see docs/spec.md, "Command line" */
export function fail(failure: Failure, io: Io): ExitCode {
  io.stderr.write(`${printableJson({ status: 'FAILED', checks: {}, ...failure })}\n`);
  return EXIT.failed;
}
