import { join, resolve } from 'node:path';
import { DEFAULT_MMD_SECONDS, type PolicyKey } from '@cer/tlog';
import { EPOCHS_SUFFIX } from '@cer/tlog/epoch';
import { formatTilePath, type TileName } from '@cer/tlog/tiles';
import { readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { counted } from '@cer/cer-core/wording';
import { EXIT, type ExitCode } from '../exit-code.js';
import { replaceFile } from '../files/replace-file.js';
import { TIMEOUT_FLAG, TIMEOUT_FLAG_HELP, TIMEOUT_MS, timeoutMs, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { requiredLogPolicy } from '../log/log-policy.js';
import { watchLogs } from '../log/monitor-turn.js';
import { printableJson } from '../printable.js';
import { UsageError } from '../usage-error.js';
import { addressIn } from './node-client.js';

/** Copies the logs of a node into files that any web server can serve. */
export const logMirrorCommand: Command = {
  name: 'log mirror',
  summary: 'copy the transparency logs of a node into a folder, after checking them',
  usage: ['log mirror URL FOLDER --log-policy FILE'],
  options: [['--log-policy FILE', 'which logs and witnesses you trust (tlog-policy)'], ...TIMEOUT_FLAG_HELP],
  examples: [['cer log mirror https://node.example copy --log-policy policy.txt', 'only new files are fetched']],
  run,
};

async function run(args: readonly string[], given: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, { ...TIMEOUT_FLAG, 'log-policy': { type: 'string' } });
  const [url, folder, ...more] = operands;
  if (url === undefined || folder === undefined || more.length > 0) {
    throw new UsageError('URL and FOLDER are expected', { seesHelp: true });
  }
  const io = withTimeout(flags.timeout, given);
  const node = addressIn(url, 'URL');
  const logPolicy = await requiredLogPolicy(flags['log-policy'], io);
  const maxMs = timeoutMs(io, TIMEOUT_MS.others);
  // The accepted state is stored beside the copy, so that a copy never lacks what its checkpoint covers.
  const inFolder: Io = { ...io, env: { ...io.env, XDG_STATE_HOME: resolve(folder, '.state') } };
  const keep = (log: PolicyKey, path: string, bytes: Uint8Array | string): Promise<void> =>
    replaceFile(join(folder, folderOf(log), path), bytes, io);
  const watched = {
    node,
    logPolicy,
    mmdSeconds: DEFAULT_MMD_SECONDS,
    maxMs,
    onTile: (log: PolicyKey, name: TileName, bytes: Uint8Array) => keep(log, formatTilePath(name), bytes),
  };
  const { alarms, accepted } = await watchLogs(watched, inFolder);
  for (const alarm of alarms) io.stderr.write(`${printableJson(alarm)}\n`);
  for (const log of logPolicy.policy.logs) {
    const turn = accepted.get(log.key.name);
    if (turn === undefined) continue;
    // Last: a reader of the copy finds everything below a checkpoint.
    await keep(log, 'checkpoint', turn.note);
    io.stdout.write(`${log.key.name}: ${counted(turn.checkpoint.size, 'entry', 'entries')}\n`);
  }
  return alarms.length === 0 ? EXIT.verified : EXIT.failed;
}

function folderOf({ key }: PolicyKey): string {
  return key.name.endsWith(EPOCHS_SUFFIX) ? 'log/epochs' : 'log';
}
