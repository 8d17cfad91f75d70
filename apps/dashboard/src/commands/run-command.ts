import { parseArgs } from 'node:util';
import { asksForHelp, isForOperator } from '@cer/http-service/process';
import { readDatabaseConfig } from '../config.js';
import { openStore } from '../store/index.js';
import { createOwner, createTenant, resumeAccount, suspendAccount } from './account-commands.js';
import { backup } from './backup-command.js';
import type { Command, CommandContext, OptionValues } from './command.js';
import { createApiKey, initJwks, rotateJwks } from './key-commands.js';
import { resetSignIn, rotateSecretsKey } from './sign-in-commands.js';
import { assignPlan, listPlans, putPlan } from './plan-commands.js';

const migrate: Command = {
  usage: '',
  summary: 'bring the database up to date',
  options: {},
  run: async (_values, { print, withStore }) => {
    await withStore(async ({ schemaVersion }) => {
      print(`schema ${schemaVersion}`);
    });
  },
};

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['migrate', migrate],
  ['backup', backup],
  ['owner create', createOwner],
  ['tenant create', createTenant],
  ['api-key create', createApiKey],
  ['plan list', listPlans],
  ['plan put', putPlan],
  ['plan assign', assignPlan],
  ['account suspend', suspendAccount],
  ['account resume', resumeAccount],
  ['jwks init', initJwks],
  ['jwks rotate', rotateJwks],
  ['secrets-key rotate', rotateSecretsKey],
  ['sign-in reset', resetSignIn],
]);

const PROGRAM = 'node apps/dashboard/dist/main.js';

const USAGE = [
  `Usage: ${PROGRAM} [command]`,
  '',
  '  (no command)',
  '      serve',
  ...[...COMMANDS].flatMap(([name, { usage, summary }]) => [`  ${name} ${usage}`.trimEnd(), `      ${summary}`]),
  '',
  'Configuration is by environment variables: see docs/configuration.md.',
  '',
  'Example:',
  `  ${PROGRAM} owner create --email ada@example.org --tenant Acme`,
].join('\n');

export type CommandSurroundings = Omit<CommandContext, 'withStore'> & { readonly complain: (line: string) => void };

/**
 * Runs one command.
 * @param words the words behind the program's name, at least one
 * @returns the exit code: 0 done, 1 refused or failed, 3 called wrongly
 */
export async function runCommand(words: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const { env, complain, print, now } = surroundings;
  if (asksForHelp(words)) {
    print(USAGE);
    return 0;
  }
  const [first = '', second = ''] = words;
  const name = COMMANDS.has(first) ? first : `${first} ${second}`;
  const command = COMMANDS.get(name);
  if (command === undefined) {
    complain(`unknown command\n\n${USAGE}`);
    return 3;
  }
  try {
    const args = words.slice(name.split(' ').length);
    const values = parseOptions(command, args);
    const withStore: CommandContext['withStore'] = async (work) => {
      const { store } = await openStore({ databaseUrl: readDatabaseConfig(env).DATABASE_URL, now });
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    };
    await command.run(values, { ...surroundings, withStore });
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      complain(`${error.message}\nUsage: ${PROGRAM} ${name} ${command.usage}`.trimEnd());
      return 3;
    }
    if (!isForOperator(error)) throw error;
    complain(error.message);
    return 1;
  }
}

class UsageError extends Error {}

function parseOptions({ options }: Command, args: readonly string[]): OptionValues {
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
    return Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => (Array.isArray(value) ? [] : [[name, value]])),
    );
  } catch {
    // Node's message quotes the argument, which may be a misplaced secret.
    throw new UsageError('an option is unknown, repeated as a word, or lacks its value');
  }
}
