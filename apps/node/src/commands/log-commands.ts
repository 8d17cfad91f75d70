import { formatVkey } from '@cer/tlog/note';
import { StartupError } from '../errors/startup-error.js';
import { beginLog } from '../log/begin-log.js';
import { closeLogs } from '../log/close-log.js';
import { noteKeyOfLog } from '../log/opened-log.js';
import { loadNodeConfig } from '../start/config.js';
import { openKeyMaterial } from '../start/key-material.js';
import { holdersOf } from '../start/open-signing-keys.js';
import type { LogRow, Store } from '../store/index.js';
import { withStore, type Command } from './command.js';

export const logInitCommand: Command = {
  name: 'log init',
  usage: [['log init', 'begin the log of LOG_ORIGIN: make its keys, print them for policies']],
  takesArguments: false,
  run: (_args, env) =>
    withStore(env, async (store) => {
      const config = loadNodeConfig(env);
      if (config.log === null) throw new StartupError('LOG_ORIGIN: is required');
      const now = new Date();
      const { vault } = await openKeyMaterial(config, store, now);
      const holders = holdersOf(config, vault, () => now);
      try {
        await beginLog(store.log, config.log.origin, holders[0], now);
      } finally {
        for (const holder of holders) await holder.close();
      }
      const open = (await store.log.logs()).filter(({ closedJson }) => closedJson === null);
      if (open[0]?.origin !== config.log.origin) {
        throw new StartupError('LOG_ORIGIN: another log is open, or a closed one had this name');
      }
      return open.map((row) => `log ${formatVkey(noteKeyOfLog(row))}`).join('\n');
    }),
};

export const logStatusCommand: Command = {
  name: 'log status',
  usage: [['log status', 'size, last publication and state of the logs']],
  takesArguments: false,
  run: (_args, env) =>
    withStore(env, async (store) => {
      const rows = await store.log.logs();
      if (rows.length === 0) return 'the database has no log';
      return (await Promise.all(rows.map((row) => stateOf(store, row)))).join('\n');
    }),
};

export const logCloseCommand: Command = {
  name: 'log close',
  usage: [['log close', 'end the open log permanently; another LOG_ORIGIN starts a new one']],
  takesArguments: false,
  run: (_args, env) =>
    withStore(env, async (store) => {
      const open = (await store.log.logs()).filter(({ closedJson }) => closedJson === null);
      if (open.length === 0) throw new StartupError('the database has no open log');
      await closeLogs(store.log, open, new Date());
      return `closed ${open.map(({ origin }) => origin).join(' and ')}`;
    }),
};

async function stateOf({ log, logNotes }: Store, row: LogRow): Promise<string> {
  const [head, published] = await Promise.all([log.head(row.logId), logNotes.newestPublished(row.logId)]);
  const state = row.closedJson === null ? (head.halted ?? 'open') : 'closed';
  const shown =
    published === null
      ? 'not published'
      : `published ${published.size} at ${new Date(published.freshMs).toISOString()}`;
  return `${row.origin}: ${state}, size ${head.size}, ${shown}`;
}
