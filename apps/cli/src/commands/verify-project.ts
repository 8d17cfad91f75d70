import { onlyOperand, readArguments } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { loadPinnedKeys } from '../key-history/pinned-history.js';
import { readMaxBytes } from '../files/read-bytes.js';
import { readStrictFile } from '../files/read-json.js';
import { loadTsaRoots } from '../trusted-keys/tsa-roots.js';
import { withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { writeReport } from '../report/write-report.js';
import { corrupted, verifyProject } from '../verification.js';
import type { Command } from '../command.js';
import { withLogProof } from '../log/attach-proof.js';
import { loadLogPolicy } from '../log/log-policy.js';
import { readLogProof } from '../log/read-proof.js';
import {
  pinnedNode,
  refuseLogFlagsWithoutPolicy,
  VERIFY_FLAG_HELP,
  VERIFY_FLAGS,
  verifyOptions,
} from './verify-flags.js';

/** Verifies a project bundle and every step in it. @see docs/spec.md, "Project verification" */
export const verifyProjectCommand: Command = {
  name: 'verify-project',
  summary: 'check a project bundle and every step in it',
  usage: ['verify-project FILE|- [--keys FILE|URL] [options]'],
  options: VERIFY_FLAG_HELP,
  examples: [['cer verify-project project.json --keys keys.json', 'the project, its steps and its receipt']],
  run,
};

async function run(args: readonly string[], untimed: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, VERIFY_FLAGS);
  const io = withTimeout(flags.timeout, untimed);
  const source = onlyOperand(operands, 'FILE');
  const nodeId = pinnedNode(flags.node);
  const { value, fault } = await readStrictFile(source, io.stdin, readMaxBytes(flags['max-bytes']));
  const tsaRoots = await loadTsaRoots(flags['tsa-roots'], io);
  refuseLogFlagsWithoutPolicy(flags);
  const logPolicy = await loadLogPolicy(flags['log-policy'], io);
  const proof = flags['log-proof'] === undefined ? null : await readLogProof(flags['log-proof'], io);
  const keys = await loadPinnedKeys(flags, nodeId, io);
  const pinned = { timestamps: tsaRoots?.verifier ?? null, transparency: logPolicy?.verifier ?? null };
  const options = verifyOptions(flags, keys, pinned, io.now());
  const shown = proof === null || fault !== null ? value : withLogProof(value, proof);
  const verification = fault === null ? await verifyProject(shown, options) : corrupted(fault, options.verifiedAt);
  return writeReport(verification, keys, flags.json ?? false, io);
}
