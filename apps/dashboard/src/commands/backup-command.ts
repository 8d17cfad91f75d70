import { counted } from '@cer/cer-core/wording';
import { locationOf } from '@cer/sql-store';
import { copySqliteFile } from '@cer/sql-store/sqlite-copy';
import { readDatabaseConfig } from '../config.js';
import { CommandError, required, type Command } from './command.js';

/** Rows that must not be valid again after a restore, even if they ended after the backup. */
const LEFT_OUT = ['sessions', 'one_time_links', 'reader_keys', 'used_challenges', 'login_attempts'];

export const backup: Command = {
  usage: '--out FILE',
  summary: 'copy the SQLite database while the dashboard runs',
  options: { out: { type: 'string' } },
  run: async (values, { env, print }) => {
    const to = required(values, 'out');
    const location = locationOf(readDatabaseConfig(env).DATABASE_URL);
    if (location?.dialect !== 'sqlite') {
      throw new CommandError('backup is for SQLite. For PostgreSQL use pg_dump: see docs/backup.md');
    }
    const counts = copySqliteFile(location.path, to, (copy) => {
      copy.pragma('secure_delete = on');
      const has = copy.prepare<[string]>('select 1 from sqlite_master where name = ?').pluck();
      const count = (table: string): number => Number(copy.prepare(`select count(*) from ${table}`).pluck().get());
      for (const table of LEFT_OUT) if (has.get(table) !== undefined) copy.exec(`delete from ${table}`);
      return [
        counted(count('tenants'), 'tenant'),
        counted(count('users'), 'user'),
        counted(count('api_keys'), 'API key'),
      ].join(', ');
    });
    print(`made ${to}: ${counts}. Sessions and one-time links are not in it`);
  },
};
