import { EXIT, type ExitCode } from '../exit-code.js';
import type { KeyLookup } from '../trusted-keys/key-material.js';
import type { Io } from '../io.js';
import { exitCodeOf, type Verification } from '../verification.js';
import { certificateReport } from './certificate-report.js';
import { toFailureReport, toJsonReport } from './json-report.js';
import { widthOf } from './lay-out.js';
import { paintFor } from './paint.js';
import { printableJson } from '../printable.js';
import { projectReport } from './project-report.js';

/**
 * Writes the report to stdout and, when the verification failed, one JSON report and nothing else to stderr.
 * @returns the exit code that goes with it
 */
export function writeReport(verification: Verification, keys: KeyLookup, asJson: boolean, io: Io): ExitCode {
  const page = { paint: paintFor(io.stdout, io.env), width: widthOf(io.stdout) };
  if (asJson) io.stdout.write(`${printableJson(toJsonReport(verification, keys))}\n`);
  else if (verification.kind === 'certificate') {
    io.stdout.write(certificateReport(verification, keys, page));
  } else io.stdout.write(projectReport(verification, keys, page));
  const exitCode = exitCodeOf(verification);
  if (exitCode === EXIT.failed) io.stderr.write(`${printableJson(toFailureReport(verification, keys))}\n`);
  return exitCode;
}
