import { loadNodeConfig } from '../start/config.js';
import { migrate } from '../store/index.js';
import { withStore, type Command } from './command.js';

export const migrateCommand: Command = {
  name: 'migrate',
  usage: [['migrate', 'bring the database up to date']],
  takesArguments: false,
  run: async (_args, env) => `the database is at schema version ${await migrate(loadNodeConfig(env).databaseUrl)}`,
};

export const compactCommand: Command = {
  name: 'compact',
  usage: [['compact', 'rewrite the tables of records, so that nothing deleted is left in them']],
  takesArguments: false,
  run: async (_args, env) => {
    await withStore(env, (store) => store.compact());
    return 'the tables of records were rewritten';
  },
};
