import type { Environment } from '@cer/http-service/config';
import { asksForHelp } from '@cer/http-service/process';
import { StartupError } from '../errors/startup-error.js';
import { apiKeyCreateCommand } from './api-key-commands.js';
import { backupCommand, restoreCommand } from './backup-commands.js';
import { UsageError, type Command } from './command.js';
import { compactCommand, migrateCommand } from './database-commands.js';
import { initCommand, keysReplaceCommand, keysUpgradeCommand } from './key-commands.js';
import { logCloseCommand, logInitCommand, logStatusCommand } from './log-commands.js';
import { logBackfillCommand, logRecoverCommand, logStatementCommand } from './log-recovery-commands.js';
import { restoreAcceptCommand } from './restore-accept-command.js';
import { tenantCreateCommand, tenantSetCommand, tenantShowCommand } from './tenant-commands.js';

/** Every command, in the order of the usage. A new command is a row here. */
const COMMANDS: readonly Command[] = [
  initCommand,
  keysUpgradeCommand,
  keysReplaceCommand,
  migrateCommand,
  backupCommand,
  // Before `restore`, whose name begins it.
  restoreAcceptCommand,
  restoreCommand,
  compactCommand,
  tenantCreateCommand,
  tenantShowCommand,
  tenantSetCommand,
  apiKeyCreateCommand,
  logInitCommand,
  logStatusCommand,
  logRecoverCommand,
  logBackfillCommand,
  logStatementCommand,
  logCloseCommand,
];

const SYNTAX_WIDTH = 46;

const usageLines = [['(no command)', 'serve'] as const, ...COMMANDS.flatMap(({ usage }) => usage)].map(
  ([syntax, purpose]) => `  ${purpose === '' ? syntax : `${syntax.padEnd(SYNTAX_WIDTH - 1)} ${purpose}`}`,
);

export const USAGE = `Usage: node apps/node/dist/main.js [command]

${usageLines.join('\n')}

Configuration is by environment variables: see docs/configuration.md.

Examples:
  node apps/node/dist/main.js api-key create --tenant acme --scopes certify,register
  node apps/node/dist/main.js tenant set --name acme --retention-days 365 --visibility hidden
`;

/** Prints the output of a command; stdout has nothing else, so that scripts can parse it. */
export type Print = (line: string) => void;

/** Runs one of the node's commands. @throws StartupError with the remedy when it cannot */
export async function runCommand(args: readonly string[], env: Environment, print: Print): Promise<void> {
  if (asksForHelp(args)) {
    print(USAGE.trimEnd());
    return;
  }
  try {
    const { command, rest } = called(args);
    print(await command.run(rest, env));
  } catch (error) {
    if (error instanceof UsageError) throw new StartupError(`${error.message}\n\n${USAGE}`);
    throw error;
  }
}

function called(args: readonly string[]): { readonly command: Command; readonly rest: readonly string[] } {
  for (const command of COMMANDS) {
    const words = command.name.split(' ');
    const rest = args.slice(words.length);
    const isCalled = words.every((word, index) => args[index] === word);
    if (isCalled && (command.takesArguments || rest.length === 0)) return { command, rest };
  }
  throw new UsageError('unknown command');
}
