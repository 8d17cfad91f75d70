import type { Command } from '../command.js';

/** A command before its code is loaded. */
export interface CommandRow {
  /** The name of the command. */
  readonly name: string;
  readonly load: () => Promise<Command>;
}

/**
 * Every command, in the order help shows them. A new command is a new file and a row here. Loading the code of all of
 * them takes longer than verifying a certificate.
 */
export const COMMANDS: readonly CommandRow[] = [
  { name: 'verify', load: async () => (await import('./verify.js')).verifyCommand },
  { name: 'verify-project', load: async () => (await import('./verify-project.js')).verifyProjectCommand },
  { name: 'verify-package', load: async () => (await import('./verify-package.js')).verifyPackageCommand },
  { name: 'render', load: async () => (await import('./render.js')).renderCommand },
  { name: 'embed', load: async () => (await import('./embed.js')).embedCommand },
  { name: 'seal', load: async () => (await import('./seal.js')).sealCommand },
  { name: 'open', load: async () => (await import('./open.js')).openCommand },
  { name: 'certify', load: async () => (await import('../remote/submit.js')).certifyCommand },
  { name: 'attest', load: async () => (await import('../remote/submit.js')).attestCommand },
  { name: 'review', load: async () => (await import('../remote/review.js')).reviewCommand },
  { name: 'lookup', load: async () => (await import('../remote/lookup.js')).lookupCommand },
  {
    name: 'register-project',
    load: async () => (await import('../remote/register-project.js')).registerProjectCommand,
  },
  { name: 'records export', load: async () => (await import('../remote/records-export.js')).recordsExportCommand },
  { name: 'log proof', load: async () => (await import('../remote/log-proof.js')).logProofCommand },
  { name: 'log attach', load: async () => (await import('./log-attach.js')).logAttachCommand },
  { name: 'log monitor', load: async () => (await import('../remote/log-monitor.js')).logMonitorCommand },
  { name: 'log mirror', load: async () => (await import('../remote/log-mirror.js')).logMirrorCommand },
  { name: 'spool status', load: async () => (await import('./spool.js')).spoolStatusCommand },
  { name: 'spool verify', load: async () => (await import('./spool.js')).spoolVerifyCommand },
  { name: 'spool drain', load: async () => (await import('./spool.js')).spoolDrainCommand },
  { name: 'proxy', load: async () => (await import('../proxy/proxy.js')).proxyCommand },
  { name: 'keys show', load: async () => (await import('./keys-show.js')).keysShowCommand },
  {
    name: 'keys history verify',
    load: async () => (await import('./keys-history-verify.js')).keysHistoryVerifyCommand,
  },
  { name: 'keys root init', load: async () => (await import('./keys-root-init.js')).keysRootInitCommand },
  { name: 'keys root sign', load: async () => (await import('./keys-root-sign.js')).keysRootSignCommand },
  { name: 'keys root sign-log', load: async () => (await import('./keys-root-sign-log.js')).keysRootSignLogCommand },
  {
    name: 'admin audit verify',
    load: async () => (await import('../remote/admin-audit-verify.js')).adminAuditVerifyCommand,
  },
  {
    name: 'mcp',
    load: async () => (await import('../mcp/mcp.js')).mcpCommand((await import('./verify.js')).verifyCommand),
  },
  { name: 'help', load: async () => (await import('./help.js')).helpCommand(loadCommands) },
];

/** The commands with their descriptions, for help. */
export function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(COMMANDS.map(({ load }) => load()));
}

/** The commands whose names continue after these words. */
export function commandsUnder(words: readonly string[]): readonly CommandRow[] {
  return COMMANDS.filter(({ name }) => words.length > 0 && name.startsWith(`${words.join(' ')} `));
}

/** A command and its remaining arguments. */
export interface Call {
  readonly command: CommandRow;
  readonly args: readonly string[];
}

/** Finds the command that the first words name; null when no command has this name. */
export function findCommand(argv: readonly string[]): Call | null {
  for (const command of COMMANDS) {
    const words = command.name.split(' ');
    if (words.every((word, at) => argv[at] === word)) return { command, args: argv.slice(words.length) };
  }
  return null;
}
