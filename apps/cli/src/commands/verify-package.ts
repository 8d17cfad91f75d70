import { open, type FileHandle } from 'node:fs/promises';
import { onlyOperand, readArguments } from '../arguments.js';
import { writePackageReport } from '../audit-package/package-report.js';
import { DEFAULT_LIMITS } from '../audit-package/package-limits.js';
import { ProgressBar } from '../batch/progress-bar.js';
import type { ExitCode } from '../exit-code.js';
import { loadPinnedKeys } from '../key-history/pinned-history.js';
import { asUsageError, DEFAULT_MAX_BYTES, nameOf } from '../files/read-bytes.js';
import { loadTsaRoots } from '../trusted-keys/tsa-roots.js';
import { loadLogPolicy } from '../log/log-policy.js';
import { withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import type { Command } from '../command.js';
import { pinnedNode, refuseLogFlagsWithoutPolicy, VERIFY_FLAG_HELP, VERIFY_FLAGS } from './verify-flags.js';

const { keys, history, root, 'tsa-roots': tsaRoots, 'log-policy': logPolicyFlag, node, json, timeout } = VERIFY_FLAGS;
const FLAGS = {
  ...{ keys, history, root, 'tsa-roots': tsaRoots, 'log-policy': logPolicyFlag, node, json, timeout },
  'require-log': { type: 'boolean' },
  'max-bytes': { type: 'string' },
} as const;

/** Verifies an audit package. @see docs/spec.md, "Audit package" */
export const verifyPackageCommand: Command = {
  name: 'verify-package',
  summary: 'check an audit package: complete, unchanged, and every certificate in it',
  usage: ['verify-package FILE.zip [--keys FILE|URL] [options]'],
  options: [
    ...VERIFY_FLAG_HELP.filter(([flag]) => !/^--(require-attestation|require-log|log-proof|max-bytes)/.test(flag)),
    ['--require-log', 'fail unless the log proves that the package is complete'],
    [
      '--max-bytes N',
      `refuse a package whose files have more than N bytes (${DEFAULT_LIMITS.totalBytes} unless given)`,
    ],
  ],
  examples: [
    ['cer verify-package audit-package.zip --keys https://node.example', 'with the keys as the node publishes them'],
    ['cer verify-package audit-package.zip --keys keys.json --json', 'offline, as JSON'],
  ],
  run,
};

async function run(args: readonly string[], untimed: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, FLAGS);
  const io = withTimeout(flags.timeout, untimed);
  const path = onlyOperand(operands, 'FILE');
  const nodeId = pinnedNode(flags.node);
  const roots = await loadTsaRoots(flags['tsa-roots'], io);
  refuseLogFlagsWithoutPolicy(flags);
  const logPolicy = await loadLogPolicy(flags['log-policy'], io);
  const totalBytes = totalBytesOf(flags['max-bytes']);
  const file = await openRegular(path);
  // Loaded here only, so that other commands start faster.
  const { checkPackage } = await import('../audit-package/check-package.js');
  try {
    const pinned = await loadPinnedKeys(flags, nodeId, io);
    const { material } = pinned;
    let bar = new ProgressBar(io.stderr, null, io.now);
    const verification = await checkPackage(file, {
      trust: { keySet: material?.keySet ?? null, nodeId },
      logPolicy: logPolicy?.policy ?? null,
      requireLog: flags['require-log'] ?? false,
      limits: { ...DEFAULT_LIMITS, totalBytes },
      settings: {
        keyDocument: material?.document ?? null,
        revocationsKnownUntil: material?.voucher?.revocationsKnownUntil ?? null,
        tsaRootsPem: roots?.pem ?? null,
        logPolicyText: logPolicy?.text ?? null,
        requireLog: false,
        nodeId,
        requireAttestation: true,
        maxBytes: DEFAULT_MAX_BYTES,
        verifiedAt: io.now().toISOString(),
      },
      onProgress: {
        start: (total) => {
          bar = new ProgressBar(io.stderr, total, io.now);
        },
        advance: (records) => {
          bar.advance(records, records);
        },
      },
    });
    bar.clear();
    const asked = { asJson: flags.json ?? false, hasLogPolicy: logPolicy !== null };
    return writePackageReport(verification, pinned, asked, io);
  } finally {
    await file.close();
  }
}

function totalBytesOf(flag: string | undefined): number {
  if (flag === undefined) return DEFAULT_LIMITS.totalBytes;
  if (!/^[1-9]\d{0,14}$/.test(flag)) throw new UsageError('--max-bytes: must be a whole number of bytes, at least 1');
  return Number(flag);
}

/** A ZIP is read from its end, so it must be a file. */
async function openRegular(path: string): Promise<FileHandle> {
  if (path === '-') throw new UsageError('a package is read from its end: pass a file, not standard input');
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    throw asUsageError(error, path);
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new UsageError(`${nameOf(path)}: must be a regular file`);
}
