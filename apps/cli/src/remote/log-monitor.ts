import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_MMD_SECONDS } from '@cer/tlog';
import { EPOCHS_SUFFIX } from '@cer/tlog/epoch';
import { onlyOperand, readArguments } from '../arguments.js';
import type { TenantHead } from '../audit-package/log-completeness.js';
import type { Command } from '../command.js';
import { counted } from '@cer/cer-core/wording';
import { EXIT, type ExitCode } from '../exit-code.js';
import { TIMEOUT_FLAG, TIMEOUT_FLAG_HELP, TIMEOUT_MS, timeoutMs, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { loadPinnedKeys } from '../key-history/pinned-history.js';
import type { Alarm } from '../log/alarm.js';
import { requiredLogPolicy } from '../log/log-policy.js';
import { watchLogs, type Watched } from '../log/monitor-turn.js';
import { checkOwnRecords } from './own-records.js';
import { printableJson } from '../printable.js';
import { UsageError } from '../usage-error.js';
import { addressIn } from './node-client.js';

/** Watches the logs of a node from outside. @see docs/for-auditors.md, "Watch the log" */
export const logMonitorCommand: Command = {
  name: 'log monitor',
  summary: 'watch the transparency logs of a node; run it on a machine that its operator does not control',
  usage: ['log monitor URL --log-policy FILE [--api-key-file FILE --keys FILE|URL] [--every SECONDS]'],
  options: [
    ['--log-policy FILE', 'which logs and witnesses you trust (tlog-policy); addresses in it are used'],
    ['--api-key-file FILE', 'also compare all records of this account with the log'],
    ['--keys FILE|URL', 'with an account: the keys of the node; its own address unless given'],
    ['--every SECONDS', 'repeat at this interval; once unless given'],
    ...TIMEOUT_FLAG_HELP,
  ],
  examples: [
    ['cer log monitor https://node.example --log-policy policy.txt', 'once: exit 0 good, 1 alarm'],
    [
      'cer log monitor https://node.example --log-policy policy.txt --api-key-file key --every 3600',
      'each hour, with the records of an account',
    ],
  ],
  run,
};

async function run(args: readonly string[], given: Io): Promise<ExitCode> {
  const text = { type: 'string' } as const;
  const { flags, operands } = readArguments(args, {
    ...TIMEOUT_FLAG,
    'log-policy': text,
    'api-key-file': text,
    keys: text,
    every: text,
  });
  const io = withTimeout(flags.timeout, given);
  const node = addressIn(onlyOperand(operands, 'URL'), 'URL');
  const logPolicy = await requiredLogPolicy(flags['log-policy'], io);
  const everySeconds = secondsOf(flags.every);
  const maxMs = timeoutMs(io, TIMEOUT_MS.others);
  const watched: Watched = { node, logPolicy, mmdSeconds: DEFAULT_MMD_SECONDS, maxMs };
  const origin = logPolicy.policy.logs.map(({ key }) => key.name).find((name) => !name.endsWith(EPOCHS_SUFFIX));
  if (origin === undefined) throw new UsageError('--log-policy: must name a log');
  const apiKeyFile = flags['api-key-file'];
  let head: TenantHead | null = null;
  let exitCode: ExitCode = EXIT.verified;
  for (;;) {
    const { alarms, turns } = await watchLogs(watched, io);
    const all: Alarm[] = [...alarms];
    if (apiKeyFile !== undefined) {
      const { material } = await loadPinnedKeys({ keys: flags.keys ?? node }, null, io);
      const own = await checkOwnRecords({ node, apiKeyFile, origin, keys: material, logPolicy, known: head }, io);
      all.push(...own.alarms);
      head = own.head ?? head;
    }
    for (const alarm of all) io.stdout.write(`${lineOf({ at: io.now().toISOString(), ...alarm })}\n`);
    exitCode = all.length === 0 ? EXIT.verified : EXIT.failed;
    const sizes = [...turns.values()].map(
      ({ checkpoint }) => `${checkpoint.origin}: ${counted(checkpoint.size, 'entry', 'entries')}`,
    );
    io.stderr.write(`${io.now().toISOString()} ${counted(all.length, 'alarm')}; ${sizes.join(', ')}\n`);
    if (everySeconds === null) return exitCode;
    await sleep(everySeconds * 1000);
  }
}

/** One line, with everything unprintable escaped. */
function lineOf(alarm: object): string {
  return printableJson(alarm).replace(/\n\s*/g, ' ');
}

function secondsOf(flag: string | undefined): number | null {
  if (flag === undefined) return null;
  if (!/^[1-9]\d{0,5}$/.test(flag)) throw new UsageError('--every: must be a whole number of seconds, at least 1');
  return Number(flag);
}
