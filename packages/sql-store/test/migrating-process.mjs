// Migrates DATABASE_URL through STEPS steps when a line arrives on standard input, and prints the version it reached.
// Each step adds one row. Step KILLED_IN, if set, ends the process by SIGKILL while it holds the lock.
import { once } from 'node:events';
import { openDatabase } from '../dist/index.js';

const { DATABASE_URL, STEPS, KILLED_IN } = process.env;

const migrations = Array.from({ length: Number(STEPS) }, (_, index) => {
  const version = index + 1;
  return {
    version,
    up: (schema) => {
      if (version === Number(KILLED_IN)) process.kill(process.pid, 'SIGKILL');
      const made = version === 1 ? schema.createTable('steps', (table) => table.integer('step').notNullable()) : schema;
      return made.raw(`insert into steps (step) values (${version})`);
    },
  };
});

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const { database, schemaVersion } = await openDatabase(DATABASE_URL, migrations);
await database.close();
process.stdout.write(`${schemaVersion}\n`);
process.exit(0);
