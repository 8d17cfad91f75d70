// Physical backup of a PostgreSQL server, as its manual describes it for separate tools ("Making a Base Backup
// Using the Low Level API"). The packaged binaries have neither pg_basebackup nor pg_dump.
//   base-backup.mjs URL FOLDER   copies the running server into FOLDER
import { chmod, copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

const [url, folder] = process.argv.slice(2);

/** Files of the running server only. Its log is copied last, when it is complete. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp']);

async function take() {
  const client = new pg.Client(url);
  await client.connect();
  const data = (await client.query('show data_directory')).rows[0].data_directory;
  await mkdir(join(folder, 'pg_wal'), { recursive: true });
  await mkdir(join(folder, 'pg_replslot'));
  await mkdir(join(folder, 'pg_stat_tmp'));
  // Other tests drop their databases concurrently, each with a checkpoint, after which the server may delete old log
  // files.
  await client.query(`select pg_create_physical_replication_slot('cer_test_backup', true, true)`);
  await client.query(`select pg_backup_start('test', true)`);
  for (const name of await readdir(data)) if (!LEFT_OUT.has(name)) await copied(join(data, name), join(folder, name));
  const { labelfile } = (await client.query('select labelfile from pg_backup_stop(false)')).rows[0];
  await copied(join(data, 'pg_wal'), join(folder, 'pg_wal'));
  await writeFile(join(folder, 'backup_label'), labelfile);
  await chmod(folder, 0o700);
  await client.end();
}

/** Files of other tests' databases vanish concurrently; the log contains the removal. */
async function copied(from, to) {
  try {
    if (!(await stat(from)).isDirectory()) return await copyFile(from, to);
    await mkdir(to, { recursive: true });
    for (const name of await readdir(from)) await copied(join(from, name), join(to, name));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

await take();
