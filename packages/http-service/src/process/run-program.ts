import { describeVariables } from '../config/describe-variables.js';
import { asksForHelp } from './asks-for-help.js';
import { runService, type ServiceProcess } from './run-service.js';
import type { RunningServer } from './serve.js';

/** A service whose only command is to serve. */
export interface ServiceProgram {
  /** How it is called, for its help. */
  readonly call: string;
  /** What it serves, in a few words. */
  readonly purpose: string;
  readonly variables: Parameters<typeof describeVariables>[0];
  readonly start: () => Promise<RunningServer>;
}

/** The parts of the process that `runProgram` uses. */
export interface ProgramProcess extends ServiceProcess {
  readonly argv: readonly string[];
  readonly stdout: { write(text: string): unknown };
}

/** Serves; with `--help` prints the variables of the service. Other arguments are refused with exit code 1. */
export async function runProgram(program: ServiceProgram, host: ProgramProcess = process): Promise<void> {
  const args = host.argv.slice(2);
  if (args.length === 0) {
    await runService(program.start, host);
  } else if (asksForHelp(args)) {
    host.stdout.write(`${helpOf(program)}\n`);
  } else {
    host.stderr.write(`this program takes no arguments\n\n${usageOf(program)}\n`);
    host.exit(1);
  }
}

function usageOf({ call, purpose }: ServiceProgram): string {
  return `Usage: ${call}   ${purpose}
       ${call} --help`;
}

function helpOf(program: ServiceProgram): string {
  const variables = describeVariables(program.variables).map(
    ({ name, meaning, required, byDefault }) =>
      `  ${name}${byDefault === undefined ? '' : `=${byDefault}`}${required ? ' (required)' : ''}\n      ${meaning}`,
  );
  return `${usageOf(program)}

Environment variables, with their defaults (docs/configuration.md has their constraints):

${variables.join('\n')}

Example:
  PORT=0 LOG_LEVEL=debug ${program.call}`;
}
