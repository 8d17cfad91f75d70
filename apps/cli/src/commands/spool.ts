import { isJsonObject, member, parseJson } from '@cer/canonical-json';
import { PROJECT } from '@cer/cer-core';
import { checkContent, evaluateProject } from '@cer/cer-core/verify';
import { readSpoolFolder, releaseSegments, type SpoolFolder, type SpoolSegment } from '@cer/client/spool-folder';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { faultCode } from '../files/fault-code.js';
import { TIMEOUT_MS, timeoutMs, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { printableJson } from '../printable.js';
import { fail } from '../report/failure.js';
import { apiKey, NODE_FLAG_HELP, NODE_FLAGS, nodeAddress } from '../remote/node-client.js';
import { UsageError } from '../usage-error.js';

/** Maximum milliseconds of a drain unless stated. */
const DRAIN_MS = 600_000;

/** Counts the waiting bundles in the folder of a producer's client. @see docs/clients.md, "The spool" */
export const spoolStatusCommand: Command = {
  name: 'spool status',
  summary: 'count the sealed certificates that wait in the spool of a client',
  usage: ['spool status DIR'],
  options: [],
  examples: [['cer spool status .cer-spool', 'exit code 4 while certificates wait']],
  run: async (args, io) => {
    const { operands } = readArguments(args, {});
    const folder = folderAt(onlyOperand(operands, 'DIR'));
    const waiting = waitingIn(folder.segments);
    const oldest = folder.oldestAt === null ? null : new Date(folder.oldestAt).toISOString();
    const segments = folder.segments.map(({ bundles, ...facts }) => ({ ...facts, waiting: bundles.length }));
    io.stdout.write(`${printableJson({ waiting, oldest, dead: folder.dead, segments })}\n`);
    return waiting > 0 || folder.dead > 0 ? EXIT.notJudged : EXIT.verified;
  },
};

/** Checks every line and every bundle. */
export const spoolVerifyCommand: Command = {
  name: 'spool verify',
  summary: 'check that the lines of a spool are whole and their certificates sealed correctly',
  usage: ['spool verify DIR'],
  options: [],
  examples: [['cer spool verify .cer-spool', 'exit code 1 when a line is torn or changed']],
  run: async (args, io) => {
    const { operands } = readArguments(args, {});
    const { segments } = folderAt(onlyOperand(operands, 'DIR'));
    const findings: string[] = [];
    let checked = 0;
    for (const { name, bundles, torn } of segments) {
      if (torn > 0) findings.push(`${name}: ${torn === 1 ? '1 line is' : `${torn} lines are`} torn or changed`);
      for (const [at, text] of bundles.entries()) {
        checked += 1;
        if (!(await isSealed(text, io))) findings.push(`${name}: bundle ${at + 1} fails verification`);
      }
    }
    const status = findings.length > 0 ? 'FAILED' : checked > 0 ? 'VERIFIED' : 'EMPTY';
    io.stdout.write(`${printableJson({ status, checked, findings })}\n`);
    return findings.length === 0 ? EXIT.verified : fail({ reason: 'BUNDLE_CORRUPTED', details: findings }, io);
  },
};

/** Sends the bundles of ended processes. */
export const spoolDrainCommand: Command = {
  name: 'spool drain',
  summary: 'send the certificates of ended processes to a node',
  usage: ['spool drain DIR --node URL [--api-key-file FILE] [--copy] [--wait SECONDS] [--timeout SECONDS]'],
  options: [
    ...NODE_FLAG_HELP,
    ['--copy', 'take all: the folder is a copy, or of a container, and its process ids mean nothing here'],
    ['--wait SECONDS', 'give up after this time (600)'],
  ],
  examples: [
    ['cer spool drain copied-spool --copy --node https://node.example --api-key-file key', 'on another machine'],
  ],
  run: async (args, io) => {
    const { flags, operands } = readArguments(args, {
      ...NODE_FLAGS,
      copy: { type: 'boolean' },
      wait: { type: 'string' },
    });
    const dir = onlyOperand(operands, 'DIR');
    folderAt(dir);
    const waitMs = flags.wait === undefined ? DRAIN_MS : Number(flags.wait) * 1000;
    if (!(waitMs > 0)) throw new UsageError('--wait must be a number of seconds');
    // Loaded here only, so that no other command waits for it.
    const { certificates } = await import('@cer/client');
    if (flags.copy === true) takeAll(dir);
    const refused: string[] = [];
    const faults = new Set<string>();
    const cer = certificates({
      appId: 'cer-spool',
      nodeUrl: nodeAddress(flags.node, io),
      apiKey: apiKey(flags['api-key-file'], io),
      spoolDir: dir,
      timeoutMs: timeoutMs(withTimeout(flags.timeout, io), TIMEOUT_MS.others),
      onDeadLetter: (_, code) => refused.push(code),
      onError: (error) => faults.add(error instanceof Error ? error.message : 'unknown fault'),
    });
    await cer.flush({ timeoutMs: waitMs });
    await cer.close({ timeoutMs: 0 });
    const { attested, projects, torn, adopted } = cer.stats();
    // What the folder still has, also where it could not be taken over or belongs to a running process.
    const { segments } = folderAt(dir);
    const waiting = waitingIn(segments);
    // What this process took over is that of an ended one as soon as it ends.
    const own = `${process.pid}-`;
    const ofRunning = waitingIn(segments.filter(({ isRunning, name }) => isRunning && !name.startsWith(own)));
    const counts = { attested, projects, refused, torn, adopted, waiting, ofRunning };
    io.stdout.write(`${printableJson({ ...counts, faults: [...faults] })}\n`);
    if (refused.length > 0) return fail({ reason: 'ATTESTATION_ERROR', details: refused }, io);
    return waiting > 0 ? EXIT.notJudged : EXIT.verified;
  },
};

function waitingIn(segments: readonly SpoolSegment[]): number {
  return segments.reduce((sum, { bundles }) => sum + bundles.length, 0);
}

/** @throws UsageError for a folder that cannot be read */
function folderAt(dir: string): SpoolFolder {
  try {
    return readSpoolFolder(dir);
  } catch (error) {
    const code = faultCode(error);
    const reason = code === 'ENOENT' ? 'no such folder' : `cannot be read as a spool (${code})`;
    throw new UsageError(`${dir}: ${reason}`);
  }
}

/** @throws UsageError for a folder that cannot be written */
function takeAll(dir: string): void {
  try {
    releaseSegments(dir);
  } catch (error) {
    throw new UsageError(`${dir}: cannot be written (${faultCode(error)})`);
  }
}

async function isSealed(text: string, io: Io): Promise<boolean> {
  const bundle = parseJson(text);
  if (!isJsonObject(bundle)) return false;
  if (member(bundle, 'bundleType') !== PROJECT) return checkContent(bundle).findings.length === 0;
  return (await evaluateProject(bundle, { verifiedAt: io.now().toISOString() })).status === 'VERIFIED';
}
