import { onlyOperand, readArguments } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { loadPinnedKeys } from '../key-history/pinned-history.js';
import { RAISES_LIMIT, readBytes, readMaxBytes } from '../files/read-bytes.js';
import { readArtefact } from '../files/read-artefact.js';
import { loadTsaRoots } from '../trusted-keys/tsa-roots.js';
import { withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { writeReport } from '../report/write-report.js';
import { UsageError } from '../usage-error.js';
import { verifyAny } from '../verification.js';
import type { Command } from '../command.js';
import { withLogProof, type LogProofEntry } from '../log/attach-proof.js';
import { loadLogPolicy } from '../log/log-policy.js';
import {
  pinnedNode,
  refuseLogFlagsWithoutPolicy,
  VERIFY_FLAG_HELP,
  VERIFY_FLAGS,
  verifyOptions,
} from './verify-flags.js';

/** Verifies a certificate, offline unless the keys are to be fetched. @see docs/spec.md, "Command line" */
export const verifyCommand: Command = {
  name: 'verify',
  summary: 'check a certificate, a package, a project bundle or a picture that carries a certificate',
  usage: [
    'verify FILE|- [--keys FILE|URL] [options]',
    'verify --batch FILE... [--keys FILE|URL] [options]',
    'verify --hash HASH --node URL [--keys FILE|URL] [options]',
  ],
  options: [
    ...VERIFY_FLAG_HELP,
    ['--hash HASH', 'fetch the public record of HASH from the node whose address --node is; exit 2 when it has none'],
    [
      '--batch',
      'check many on all cores; files named .ndjson or .jsonl (.gz too), and -, hold one certificate per line',
    ],
  ],
  examples: [
    ['cer verify certificate.json --keys keys.json', 'offline: reads two files and opens no connection'],
    ['cer verify certificate.json --keys https://node.example', 'fetches the keys of the node you name'],
    [
      'cer verify certificate.json --history https://node.example --root sha256:...',
      'trusts a root key, and not the node, for the state of its keys',
    ],
    [
      'cer verify certificate.json --keys keys.json --log-policy policy.txt --require-log',
      'fails unless independent witnesses saw the receipt in a log',
    ],
    [
      'cer verify certificate.json --keys keys.json --tsa-roots roots.pem',
      'checks the timestamp too, which outlives the key that signed',
    ],
    ['cat certificate.json | cer verify - --json', 'as JSON, for a program'],
    ['cer verify picture.png --keys keys.json', 'the certificate in a PNG, and whether it is of this picture'],
    ['cer verify --hash sha256:... --node https://node.example', 'looks the record up and checks it here'],
    ['cer verify --batch records.ndjson --keys keys.json', 'a whole archive'],
  ],
  run,
};

async function run(args: readonly string[], untimed: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, {
    ...VERIFY_FLAGS,
    batch: { type: 'boolean' },
    hash: { type: 'string' },
  });
  const io = withTimeout(flags.timeout, untimed);
  const tsaRoots = await loadTsaRoots(flags['tsa-roots'], io);
  refuseLogFlagsWithoutPolicy(flags);
  const logPolicy = await loadLogPolicy(flags['log-policy'], io);
  const proof = await proofOf(flags, io);
  const pinned = { timestamps: tsaRoots?.verifier ?? null, transparency: logPolicy?.verifier ?? null };
  const requireLog = flags['require-log'] ?? false;
  if (flags.hash !== undefined) {
    if (operands.length > 0 || flags.batch === true) throw new UsageError('--hash takes the place of FILE');
    // Loaded here only: a file is verified without loading networking code.
    const { verifyByHash } = await import('../remote/verify-by-hash.js');
    const requireAttestation = flags['require-attestation'] ?? false;
    const { hash, node, keys, history, root } = flags;
    const pins = { keys, history, root };
    const asJson = flags.json ?? false;
    return verifyByHash({ hash, node, pins, ...pinned, asJson, requireAttestation, requireLog }, io);
  }
  const nodeId = pinnedNode(flags.node);
  const maxBytes = readMaxBytes(flags['max-bytes']);
  if (flags.batch !== true) {
    const source = onlyOperand(operands, 'FILE');
    if (source === '-') requireOneReaderOfStdin(flags);
    // The file first: if it is missing, no node is contacted.
    const read = readOne(await readBytes(source, io.stdin, maxBytes, RAISES_LIMIT), source, maxBytes);
    const json = proof === null || read.fault !== null ? read : { ...read, value: withLogProof(read.value, proof) };
    const keys = await loadPinnedKeys(flags, nodeId, io);
    const verification = await verifyAny(json, verifyOptions(flags, keys, pinned, io.now()));
    return writeReport(verification, keys, flags.json ?? false, io);
  }
  if (operands.length === 0) throw new UsageError('--batch: no FILE is given');
  if (operands.includes('-')) requireOneReaderOfStdin(flags);
  // Loaded here: one certificate needs no threads.
  const { verifyBatch } = await import('../batch/verify-batch.js');
  return verifyBatch(
    {
      sources: operands,
      keys: await loadPinnedKeys(flags, nodeId, io),
      tsaRootsPem: tsaRoots?.pem ?? null,
      logPolicyText: logPolicy?.text ?? null,
      requireLog,
      nodeId,
      requireAttestation: flags['require-attestation'] ?? false,
      maxBytes,
      asJson: flags.json ?? false,
    },
    io,
  );
}

/** @throws UsageError for bytes that are not one artefact; of a file with one per line it names the flag for those */
function readOne(bytes: Uint8Array, source: string, maxBytes: number): ReturnType<typeof readArtefact> {
  try {
    return readArtefact(bytes, source, { maxBytes, advice: RAISES_LIMIT });
  } catch (error) {
    if (!(error instanceof UsageError) || !/\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(source)) throw error;
    throw new UsageError(`${error.message}. A file with one certificate per line is checked with --batch`);
  }
}

/** @throws UsageError where the proof of one certificate is given for many */
async function proofOf(
  flags: { readonly 'log-proof'?: string; readonly batch?: boolean; readonly hash?: string },
  io: Io,
): Promise<LogProofEntry | null> {
  const source = flags['log-proof'];
  if (source === undefined) return null;
  if (flags.batch === true || flags.hash !== undefined) throw new UsageError('--log-proof belongs to one FILE');
  if (source === '-') throw new UsageError('--log-proof: must be a file');
  const { readLogProof } = await import('../log/read-proof.js');
  return readLogProof(source, io);
}

function requireOneReaderOfStdin({ keys, history }: { readonly keys?: string; readonly history?: string }): void {
  if (keys === '-') throw new UsageError('FILE and --keys cannot both be standard input');
  if (history === '-') throw new UsageError('FILE and --history cannot both be standard input');
}
