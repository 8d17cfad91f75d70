import { isJsonObject, isWellFormed, member, type JsonValue } from '@cer/canonical-json';
import { CerError } from '@cer/cer-core';
import type { SealedField } from '@cer/cer-core/seal';
import { evaluateCer, isSealedValue, openCommitment, toReport, type ClaimedValue } from '@cer/cer-core/verify';
import { onlyOperand, readArguments } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { readOpening, readSalt } from '../files/openings.js';
import { decodeUtf8, RAISES_LIMIT, readBytes, readMaxBytes } from '../files/read-bytes.js';
import { readOwnJson, readStrictFile } from '../files/read-json.js';
import type { Io } from '../io.js';
import { fail } from '../report/failure.js';
import { paintFor } from '../report/paint.js';
import { printableJson } from '../printable.js';
import { UsageError } from '../usage-error.js';
import { corrupted } from '../verification.js';
import { VERIFIER } from '../version.js';
import type { Command } from '../command.js';

const FLAGS = {
  field: { type: 'string' },
  salt: { type: 'string' },
  openings: { type: 'string' },
  text: { type: 'string' },
  'text-file': { type: 'string' },
  'json-file': { type: 'string' },
  'max-bytes': { type: 'string' },
} as const;

type Flags = { readonly [Name in keyof typeof FLAGS]?: string };

/** Checks that a raw value is the one sealed in a certificate. @see docs/spec.md, "Commitments" */
export const openCommand: Command = {
  name: 'open',
  summary: 'check that a value is the one sealed in a confidential certificate',
  usage: [
    'open FILE|- --field input|output (--salt B64URL | --openings FILE) (--text S | --text-file F | --json-file F)',
  ],
  options: [
    ['--field input|output', 'which sealed value'],
    ['--salt B64URL', 'its salt; other users of this computer can see it while the command runs'],
    ['--openings FILE', 'take the salt from the file that seal wrote, from the answer of certify, or from one opening'],
    ['--text S', 'the value, as text'],
    ['--text-file F', 'the value, as the exact text of a file, a line break at its end included'],
    ['--json-file F', 'the value, as JSON: an object or an array'],
    ['--max-bytes N', 'read files of up to N bytes'],
  ],
  examples: [
    [
      'cer open certificate.json --field input --openings secret.json --text "What is a receipt?"',
      'confirms this value; the other field stays sealed',
    ],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, FLAGS);
  const source = onlyOperand(operands, 'FILE');
  const field = fieldOf(flags.field);
  const fromStdin = [source, flags.openings, flags['text-file'], flags['json-file']].filter((name) => name === '-');
  if (fromStdin.length > 1) throw new UsageError('only one file can be standard input');
  const salt = await saltOf(flags, field, io);
  const claimed = await claimedValueOf(flags, io);
  const json = await readStrictFile(source, io.stdin, readMaxBytes(flags['max-bytes']));
  const verifiedAt = io.now().toISOString();
  if (json.fault !== null) {
    const { evaluation } = corrupted(json.fault, verifiedAt);
    return fail({ reason: 'BUNDLE_CORRUPTED', code: evaluation.code }, io);
  }

  const evaluation = await evaluateCer(json.value, { verifiedAt });
  const report = toReport(evaluation, VERIFIER);
  if (evaluation.integrity.status !== 'PASS') {
    const { integrity } = evaluation;
    const reason = integrity.status === 'FAIL' ? integrity.code : 'UNKNOWN_ERROR';
    say('NOT OPENED: the certificate failed verification', 'Run `cer verify` to see why.', io);
    return refuse({ ...report, reason, findings: evaluation.findings }, io);
  }
  const snapshot = evaluation.bundle === null ? undefined : member(evaluation.bundle, 'snapshot');
  const sealed = isJsonObject(snapshot) ? member(snapshot, field) : undefined;
  if (!isSealedValue(sealed)) {
    const detail = `snapshot.${field}: is not sealed, so there is nothing to open`;
    say(`NOT OPENED: the ${field} of this certificate is not sealed`, 'Only protocol 1.3.1 seals.', io);
    return refuse({ ...report, status: 'FAILED', reason: 'INCOMPLETE_ARTIFACT', detail }, io);
  }
  if (opens(sealed, salt, claimed)) return accept(field, io);
  const other = 'The value, its type (text or JSON) or the salt differs from the sealed one.';
  say(`NOT OPENED: this value is not the sealed ${field}`, other, io);
  return refuse(mismatch(field, report), io);
}

function opens(sealed: JsonValue, salt: Uint8Array, claimed: ClaimedValue): boolean {
  try {
    return openCommitment(sealed, salt, claimed);
  } catch (error) {
    // A value without a canonical form cannot have been sealed.
    if (error instanceof CerError) return false;
    throw error;
  }
}

function accept(field: SealedField, io: Io): ExitCode {
  const intact = 'The certificate is intact. Run `cer verify` to check who signed it.';
  say(`OPENED: this value is the sealed ${field}`, intact, io);
  return EXIT.verified;
}

function say(verdict: string, meaning: string, io: Io): void {
  const { strong } = paintFor(io.stdout, io.env);
  io.stdout.write(`${strong(verdict)}\n  ${meaning}\n`);
}

function mismatch(field: SealedField, report: object): object {
  const reason = field === 'input' ? 'INPUT_HASH_MISMATCH' : 'OUTPUT_HASH_MISMATCH';
  const detail = `snapshot.${field}: value, its type (text or JSON) or salt is another one than was sealed`;
  return { ...report, status: 'FAILED', reason, detail };
}

function refuse(report: object, io: Io): ExitCode {
  io.stderr.write(`${printableJson(report)}\n`);
  return EXIT.failed;
}

function fieldOf(flag: string | undefined): SealedField {
  if (flag === 'input' || flag === 'output') return flag;
  throw new UsageError('--field: must be input or output');
}

async function saltOf(flags: Flags, field: SealedField, io: Io): Promise<Uint8Array> {
  const { salt, openings } = flags;
  if ((salt === undefined) === (openings === undefined)) {
    throw new UsageError('exactly one of --salt and --openings is needed');
  }
  if (openings !== undefined) return readOpening(openings, field, io.stdin, readMaxBytes(flags['max-bytes']));
  return readSalt(salt, '--salt');
}

async function claimedValueOf(flags: Flags, io: Io): Promise<ClaimedValue> {
  const { text, 'text-file': textFile, 'json-file': jsonFile } = flags;
  if ([text, textFile, jsonFile].filter((flag) => flag !== undefined).length !== 1) {
    throw new UsageError('exactly one of --text, --text-file and --json-file is needed');
  }
  const limit = { maxBytes: readMaxBytes(flags['max-bytes']), advice: RAISES_LIMIT };
  const read = (source: string): Promise<Uint8Array> => readBytes(source, io.stdin, limit.maxBytes, limit.advice);
  if (jsonFile !== undefined) return { type: 'json', value: readOwnJson(await read(jsonFile), jsonFile, limit) };
  if (textFile !== undefined) return { type: 'text', text: decodeUtf8(await read(textFile), textFile) };
  if (!isWellFormed(text ?? '')) throw new UsageError('--text: is not well-formed Unicode');
  return { type: 'text', text: text ?? '' };
}
