import type { Command } from '../command.js';
import { embedCommand } from './embed.js';
import { helpCommand } from './help.js';
import { keysHistoryVerifyCommand } from './keys-history-verify.js';
import { keysRootInitCommand } from './keys-root-init.js';
import { keysRootSignLogCommand } from './keys-root-sign-log.js';
import { keysRootSignCommand } from './keys-root-sign.js';
import { keysShowCommand } from './keys-show.js';
import { logAttachCommand } from './log-attach.js';
import { openCommand } from './open.js';
import { renderCommand } from './render.js';
import { sealCommand } from './seal.js';
import { spoolDrainCommand, spoolStatusCommand, spoolVerifyCommand } from './spool.js';
import { verifyPackageCommand } from './verify-package.js';
import { verifyProjectCommand } from './verify-project.js';
import { verifyCommand } from './verify.js';
import { mcpCommand } from '../mcp/mcp.js';
import { adminAuditVerifyCommand } from '../remote/admin-audit-verify.js';
import { logMirrorCommand } from '../remote/log-mirror.js';
import { logMonitorCommand } from '../remote/log-monitor.js';
import { logProofCommand } from '../remote/log-proof.js';
import { lookupCommand } from '../remote/lookup.js';
import { recordsExportCommand } from '../remote/records-export.js';
import { registerProjectCommand } from '../remote/register-project.js';
import { attestCommand, certifyCommand } from '../remote/submit.js';

/** Every command, in the order help shows them. A new command is a new file and a row here. */
export const COMMANDS: readonly Command[] = [
  verifyCommand,
  verifyProjectCommand,
  verifyPackageCommand,
  renderCommand,
  embedCommand,
  sealCommand,
  openCommand,
  certifyCommand,
  attestCommand,
  lookupCommand,
  registerProjectCommand,
  recordsExportCommand,
  logProofCommand,
  logAttachCommand,
  logMonitorCommand,
  logMirrorCommand,
  spoolStatusCommand,
  spoolVerifyCommand,
  spoolDrainCommand,
  keysShowCommand,
  keysHistoryVerifyCommand,
  keysRootInitCommand,
  keysRootSignCommand,
  keysRootSignLogCommand,
  adminAuditVerifyCommand,
  mcpCommand(verifyCommand),
  helpCommand(() => COMMANDS),
];

/** The commands whose names continue after these words. */
export function commandsUnder(words: readonly string[]): readonly Command[] {
  return COMMANDS.filter(({ name }) => words.length > 0 && name.startsWith(`${words.join(' ')} `));
}

/** A command and what is left for it to read. */
export interface Call {
  readonly command: Command;
  readonly args: readonly string[];
}

/** Finds the command that the first words name; null when none is called so. */
export function findCommand(argv: readonly string[]): Call | null {
  for (const command of COMMANDS) {
    const words = command.name.split(' ');
    if (words.every((word, at) => argv[at] === word)) return { command, args: argv.slice(words.length) };
  }
  return null;
}
