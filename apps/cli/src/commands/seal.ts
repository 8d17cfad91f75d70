import { appendPath, exceedsDepth, isJsonObject, type JsonObject } from '@cer/canonical-json';
import { CerError } from '@cer/cer-core';
import {
  executionRequestFaults,
  REQUEST_DEPTH,
  SALT_BYTES,
  sealExecution,
  type CommitmentSalts,
  type SealedExecution,
} from '@cer/cer-core/seal';
import { onlyOperand, readArguments } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { readOpenings, writeOpenings } from '../files/openings.js';
import { readMaxBytes } from '../files/read-bytes.js';
import { readStrictFile } from '../files/read-json.js';
import type { Io } from '../io.js';
import { fail } from '../report/failure.js';
import { printable, printableJson } from '../printable.js';
import { UsageError } from '../usage-error.js';
import type { Command } from '../command.js';

/** Seals the description of an execution, without key or network. @see docs/spec.md, "Sealing" */
export const sealCommand: Command = {
  name: 'seal',
  summary: 'seal the description of an execution into an unsigned certificate',
  usage: ['seal FILE|- [--openings FILE] [--salts FILE] [--max-bytes N]'],
  options: [
    ['--openings FILE', 'protocol 1.3.1: write the openings of input and output to a new file of mode 0600'],
    ['--salts FILE', 'protocol 1.3.1: take the salts from an openings file instead of drawing them at random'],
    ['--max-bytes N', 'read files of up to N bytes'],
  ],
  examples: [
    ['cer seal execution.json > certificate.json', 'FILE has the members of a certify request'],
    ['cer seal execution.json --openings secret.json > certificate.json', 'confidential, protocol 1.3.1'],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, {
    openings: { type: 'string' },
    salts: { type: 'string' },
    'max-bytes': { type: 'string' },
  });
  const source = onlyOperand(operands, 'FILE');
  if (source === '-' && flags.salts === '-') throw new UsageError('FILE and --salts cannot both be standard input');
  const maxBytes = readMaxBytes(flags['max-bytes']);
  const json = await readStrictFile(source, io.stdin, maxBytes);
  if (json.fault !== null) {
    return refuse('BUNDLE_CORRUPTED', [`${json.fault.member || 'the file'}: ${json.fault.detail}`], io);
  }
  const given = flags.salts === undefined ? null : await readOpenings(flags.salts, io.stdin, maxBytes);
  const tooDeep = isJsonObject(json.value) ? depthFaults(json.value) : [];
  if (tooDeep.length > 0) return refuse('BUNDLE_CORRUPTED', tooDeep, io);
  const faults = executionRequestFaults(json.value);
  if (faults.length > 0 || !isJsonObject(json.value)) return refuse('VALIDATION_ERROR', faults, io);

  let sealed: SealedExecution;
  try {
    sealed = seal(json.value, given, io);
  } catch (error) {
    if (!(error instanceof CerError)) throw error;
    return refuse(error.code, [error.message], io);
  }
  if (given !== null && sealed.salts === null) throw new UsageError('--salts: only protocol 1.3.1 uses salts');
  // Written before the certificate: a certificate without stored openings must not look complete.
  if (flags.openings !== undefined) await keepOpenings(flags.openings, sealed, io);
  io.stdout.write(`${printableJson(sealed.bundle)}\n`);
  if (sealed.salts !== null && flags.openings === undefined && given === null) {
    io.stderr.write(
      'cer: the random salts were discarded, so input and output cannot be opened (--openings FILE stores them)\n',
    );
  }
  return EXIT.verified;
}

/** A node refuses these members too. @see docs/spec.md, "Strict JSON" */
function depthFaults(request: JsonObject): string[] {
  const limit = REQUEST_DEPTH - 1;
  return Object.entries(request)
    .filter(([, value]) => exceedsDepth(value, limit))
    .map(([name]) => `${appendPath('', name)}: nested deeper than ${limit} levels`);
}

function seal(request: JsonObject, given: CommitmentSalts | null, io: Io): SealedExecution {
  const random = (): CommitmentSalts => ({ input: io.randomBytes(SALT_BYTES), output: io.randomBytes(SALT_BYTES) });
  return sealExecution(request, {
    createdAt: io.now().toISOString(),
    timestamp: null,
    executionId: io.randomId(),
    saltsFor: () => given ?? random(),
  });
}

async function keepOpenings(path: string, { salts }: SealedExecution, io: Io): Promise<void> {
  if (salts === null) throw new UsageError('--openings: only protocol 1.3.1 makes openings');
  await writeOpenings(path, salts, io);
  io.stderr.write(`cer: openings written to ${printable(path)}; keep them secret\n`);
}

function refuse(reason: string, details: readonly string[], io: Io): ExitCode {
  return fail({ reason, details }, io);
}
