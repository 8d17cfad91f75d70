import { readFileSync } from 'node:fs';
import { JsonError, parseJson } from '@cer/canonical-json';
import { counted } from '@cer/cer-core/wording';
import { StartupError } from '../errors/startup-error.js';
import { openRow } from '../log/begin-log.js';
import { mirrorAt } from '../log/log-mirror.js';
import { readLogPolicy } from '../log/log-policy.js';
import { acceptLogStatement } from '../log/accept-log-statement.js';
import { recoverLog } from '../log/recover-log.js';
import { tenantTags } from '../log/stored-leaf.js';
import { KeyHistoryLog } from '../signing-keys/key-history-log.js';
import { loadNodeConfig } from '../start/config.js';
import { openKeyMaterial } from '../start/key-material.js';
import type { LogRow, Store } from '../store/index.js';
import { backfillLog } from './backfill-log.js';
import { optionsOf, UsageError, withStore, type Command } from './command.js';

export const logRecoverCommand: Command = {
  name: 'log recover',
  usage: [['log recover --from URL|FOLDER', 'after a restore: take the lost entries from a mirror']],
  takesArguments: true,
  run: (args, env) => {
    const { from } = optionsOf(args, ['from']);
    if (from === undefined || from === '') throw new UsageError('log recover needs --from URL|FOLDER');
    return withStore(env, async (store) => {
      const rows = await openRows(store);
      const config = loadNodeConfig(env);
      const { vault } = await openKeyMaterial(config, store, new Date());
      const policy = readLogPolicy(config.log?.policyFile ?? null);
      const deps = { store, policy, tagOf: tenantTags(vault.nodeId), now: () => new Date() };
      const said: string[] = [];
      for (const row of rows) {
        const { from: before, to, opened } = await recoverLog(deps, row, mirrorAt(from, row.role));
        said.push(
          `${row.origin}: ${before} to ${counted(to, 'entry', 'entries')}, ${to - before - opened} without opening`,
        );
      }
      return said.join('\n');
    });
  },
};

export const logBackfillCommand: Command = {
  name: 'log backfill',
  usage: [['log backfill', 'store leaves for records and projects from before the log began']],
  takesArguments: false,
  run: (_args, env) =>
    withStore(env, async (store) => {
      await openRows(store);
      return `${counted(await backfillLog(store), 'leaf', 'leaves')} stored; the log takes them at its next turns`;
    }),
};

export const logStatementCommand: Command = {
  name: 'log statement',
  usage: [['log statement --file FILE', 'publish a log statement that a root signed elsewhere']],
  takesArguments: true,
  run: (args, env) => {
    const { file } = optionsOf(args, ['file']);
    if (file === undefined || file === '') throw new UsageError('log statement needs --file FILE');
    return withStore(env, async (store) => {
      const { vault } = await openKeyMaterial(loadNodeConfig(env), store, new Date());
      const { nodeId } = vault;
      const { entries } = await new KeyHistoryLog(nodeId, store.signingKeys).read();
      const deps = { logNotes: store.logNotes, rows: await store.log.logs(), nodeId, entries };
      const version = await acceptLogStatement(deps, readStatement(file));
      return `published version ${version} of the log statement`;
    });
  },
};

async function openRows({ log }: Pick<Store, 'log'>): Promise<readonly LogRow[]> {
  const rows = await log.logs();
  const [receipts, epochs] = [openRow(rows, 'receipts'), openRow(rows, 'epochs')];
  if (receipts === undefined || epochs === undefined) throw new StartupError('the database has no open log');
  return [receipts, epochs];
}

function readStatement(file: string): ReturnType<typeof parseJson> {
  try {
    return parseJson(readFileSync(file));
  } catch (cause) {
    const reason = cause instanceof JsonError ? 'is not JSON' : 'cannot be read';
    throw new StartupError(`--file: ${reason}`, { cause });
  }
}
