import { parseArgs } from 'node:util';

import { counted } from '@cer/cer-core/wording';
import { makeFolderOf } from '@cer/keys/private-file';
import { loadNodeConfig, type NodeConfig } from '../start/config.js';
import { StartupError } from '../errors/startup-error.js';
import { copyDatabase, type DatabaseMarks } from '../store/index.js';
import type { Command } from './command.js';

type BackupConfig = Pick<NodeConfig, 'databaseUrl' | 'keysFile' | 'commitmentSecretFile'>;

export const backupCommand: Command = {
  name: 'backup',
  usage: [['backup --out FILE', 'copy the SQLite database while the node runs']],
  takesArguments: true,
  run: (args, env) => backUp(args, loadNodeConfig(env)),
};

export const restoreCommand: Command = {
  name: 'restore',
  usage: [['restore --from FILE', 'put such a copy at the location of DATABASE_URL, which must be empty']],
  takesArguments: true,
  run: (args, env) => restore(args, loadNodeConfig(env)),
};

/**
 * `backup --out FILE`: a consistent copy of the SQLite database; nodes keep running.
 * @returns the message for the operator
 * @throws StartupError, StoreError with the remedy
 */
function backUp(args: readonly string[], { databaseUrl, keysFile, commitmentSecretFile }: BackupConfig): string {
  const to = pathOf(args, 'out');
  const marks = copyDatabase(sqlitePath(databaseUrl, 'backup'), to);
  return `made ${to}: ${worded(marks)}. Not included, store separately: ${keysFile}, ${commitmentSecretFile}`;
}

/**
 * `restore --from FILE`: restores a backup to the location of DATABASE_URL, which must be empty.
 * @returns the message for the operator
 * @throws StartupError, StoreError with the remedy
 */
function restore(args: readonly string[], { databaseUrl }: BackupConfig): string {
  const from = pathOf(args, 'from');
  const to = sqlitePath(databaseUrl, 'restore');
  makeFolderOf(to);
  return `made ${to}: ${worded(copyDatabase(from, to))}. Before you start the node read docs/backup.md, "After a restore"`;
}

function pathOf(args: readonly string[], option: 'out' | 'from'): string {
  let values: { readonly [name: string]: unknown };
  try {
    ({ values } = parseArgs({ args: [...args], options: { [option]: { type: 'string' } } }));
  } catch {
    throw new StartupError(`${option === 'out' ? 'backup' : 'restore'} takes --${option} FILE and nothing else`);
  }
  const path = values[option];
  if (typeof path !== 'string' || path === '') throw new StartupError(`--${option} FILE is required`);
  return path;
}

function sqlitePath(databaseUrl: string, command: string): string {
  const path = /^sqlite:(.+)$/s.exec(databaseUrl)?.[1];
  if (path !== undefined) return path;
  throw new StartupError(
    `${command} is for SQLite. For PostgreSQL use its own tools: see docs/backup.md, "PostgreSQL"`,
  );
}

function worded({ schemaVersion, records, newestAttestedAt, auditHead, keyHistorySeq }: DatabaseMarks): string {
  return [
    `schema version ${schemaVersion}`,
    `${counted(records, 'record')}${newestAttestedAt === null ? '' : `, the newest attested at ${newestAttestedAt}`}`,
    auditHead === null ? 'nothing in the audit log' : `audit log up to ${auditHead.seq} (${auditHead.hash})`,
    `key history up to ${keyHistorySeq}`,
  ].join('; ');
}
