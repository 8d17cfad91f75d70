import { parseArgs } from 'node:util';
import type { Environment } from '@cer/http-service/config';
import { OperatorError } from '@cer/http-service/process';
import { formatVkey } from '@cer/tlog/note';
import { readConfig, type WitnessConfig } from '../config.js';
import { initWitness } from '../store/open-store.js';

/** The command line is at fault; the message holds the usage. */
class UsageError extends OperatorError {
  override readonly name = 'UsageError';
}

const USAGE = `Usage:
  cer-witness init --name NAME --db FILE                      make key and database, print the key for policies
  cer-witness serve --db FILE [--log VKEY]... [--logs FILE]   cosign the checkpoints of these logs
                    [--host ADDRESS] [--port PORT]

Every option of serve can be given as an environment variable: see docs/configuration.md.

Examples:
  cer-witness init --name witness.example/w1 --db /data/w.sqlite
  cer-witness serve --db /data/w.sqlite --log "$LOG_VKEY" --port 4601`;

/** The result of the command line. */
export type Call =
  | { readonly command: 'print'; readonly text: string }
  | { readonly command: 'serve'; readonly config: WitnessConfig };

/**
 * Runs `init`, or reads what `serve` is to do.
 * @throws UsageError, ConfigError, WitnessError, KeyError, StoreError
 */
export async function readCall(args: readonly string[], env: Environment, now: () => Date): Promise<Call> {
  const [command, ...rest] = args;
  switch (command) {
    case 'init': {
      const { name, db } = optionsOf(rest, { name: { type: 'string' }, db: { type: 'string' } });
      if (name === undefined || db === undefined) throw new UsageError(`init needs --name and --db\n\n${USAGE}`);
      return { command: 'print', text: formatVkey(await initWitness(db, name, now())) };
    }
    case 'serve':
      return { command: 'serve', config: serveConfig(rest, env) };
    case 'help':
    case '--help':
    case '-h':
      return { command: 'print', text: USAGE };
    case undefined:
    default:
      throw new UsageError(`The command must be init or serve\n\n${USAGE}`);
  }
}

function serveConfig(args: readonly string[], env: Environment): WitnessConfig {
  const { db, log, logs, host, port } = optionsOf(args, {
    db: { type: 'string' },
    log: { type: 'string', multiple: true },
    logs: { type: 'string' },
    host: { type: 'string' },
    port: { type: 'string' },
  });
  return readConfig({
    ...env,
    ...(db !== undefined && { DATABASE_FILE: db }),
    ...(log !== undefined && { LOG_VKEYS: log.join(' ') }),
    ...(logs !== undefined && { LOGS_FILE: logs }),
    ...(host !== undefined && { HOST: host }),
    ...(port !== undefined && { PORT: port }),
  });
}

type Options = NonNullable<Parameters<typeof parseArgs>[0]>['options'];

function optionsOf<const Spec extends NonNullable<Options>>(args: readonly string[], options: Spec) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch {
    throw new UsageError(`unknown option, or an option without its value\n\n${USAGE}`);
  }
}
