import { isJsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { judgePicture } from '@cer/cer-core/picture';
import { evaluateCer, toReport } from '@cer/cer-core/verify';
import { onlyOperand, readArguments } from '../arguments.js';
import { ProgressBar } from '../batch/progress-bar.js';
import type { Command } from '../command.js';
import type { ExitCode } from '../exit-code.js';
import { decodeUtf8, nameOf, readBytes, readMaxBytes } from '../files/read-bytes.js';
import { readArtefact } from '../files/read-artefact.js';
import type { Io } from '../io.js';
import { certifiedRender, NotRedrawable, type CertifiedRender } from '@cer/sketch-engine/certified-render';
import type { RenderVerdict } from '../render/judge-render.js';
import { writeRenderVerdict } from '../render/render-report.js';
import { fail } from '../report/failure.js';
import { UsageError } from '../usage-error.js';
import { corrupted } from '../verification.js';
import { VERIFIER } from '../version.js';

const FLAGS = {
  verify: { type: 'boolean' },
  code: { type: 'string' },
  'engine-folder': { type: 'string' },
  timeout: { type: 'string' },
  'max-memory': { type: 'string' },
  'allow-network': { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const DEFAULT_TIMEOUT_SECONDS = 120;
/** Added to the time limit for each frame of a loop. */
const SECONDS_PER_FRAME = 1;
const DEFAULT_MEMORY_MB = 2048;

/** Draws a certified render again. @see docs/spec.md, "Command line" */
export const renderCommand: Command = {
  name: 'render',
  summary: 'draw a certified sketch again and compare the pictures',
  usage: ['render --verify FILE|- --code SKETCH [options]'],
  options: [
    [
      '--verify',
      'FILE is a certificate of a render by the engine portable, or a PNG that carries one; no node and no browser is ' +
        'needed',
    ],
    ['--code SKETCH', 'the text of the sketch; the certificate has its hash'],
    ['--engine-folder DIR', 'take an older module of Skia from DIR, where it is called by its hash: HEX.wasm'],
    ['--timeout SECONDS', `end the sketch after this time (${DEFAULT_TIMEOUT_SECONDS}, and 1 more per frame)`],
    ['--max-memory MB', `end the sketch when its process has more memory (${DEFAULT_MEMORY_MB})`],
    [
      '--allow-network',
      'draw even where this machine cannot cut the process of the sketch off the network, which needs an empty ' +
        'network namespace (Linux) or Node.js 25; the sketch itself never has a network',
    ],
    ['--json', 'the result as JSON; of a loop with the hash of each frame'],
  ],
  examples: [
    [
      'cer render --verify certificate.json --code sketch.js',
      'exit 0: the same picture, 1: another one, 4: cannot be judged',
    ],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, FLAGS);
  if (flags.verify !== true) throw new UsageError('--verify is missing: a render is only drawn to verify it');
  const source = onlyOperand(operands, 'FILE');
  if (flags.code === undefined)
    throw new UsageError('--code is missing: the certificate has only the hash of the sketch');
  if (source === '-' && flags.code === '-') throw new UsageError('FILE and --code cannot both be standard input');
  const [timeout, memory] = [positive(flags.timeout, '--timeout'), positive(flags['max-memory'], '--max-memory')];
  const maxBytes = readMaxBytes(undefined);
  const bare = 'is a picture (PNG), JSON is expected; it carries no certificate';
  const { png, ...json } = readArtefact(await readBytes(source, io.stdin, maxBytes), source, { maxBytes, bare });
  const code = decodeUtf8(await readBytes(flags.code, io.stdin, maxBytes), flags.code);
  const verifiedAt = io.now().toISOString();
  if (json.fault !== null)
    return fail({ reason: 'BUNDLE_CORRUPTED', code: corrupted(json.fault, verifiedAt).evaluation.code }, io);
  const evaluation = await evaluateCer(json.value, { verifiedAt });
  if (evaluation.integrity.status !== 'PASS' || !isJsonObject(evaluation.bundle)) {
    const reason = evaluation.integrity.status === 'FAIL' ? evaluation.integrity.code : 'UNKNOWN_ERROR';
    return fail({ ...toReport(evaluation, VERIFIER), status: 'FAILED', reason }, io);
  }
  if (png !== null && !judgePicture(evaluation, png).picture.isCertified) {
    const detail = 'snapshot.imageHash: is the hash of another picture than FILE';
    return fail({ reason: 'OUTPUT_HASH_MISMATCH', detail }, io);
  }
  const report = (verdict: RenderVerdict, frameHashes: readonly string[] = []): ExitCode =>
    writeRenderVerdict(
      { verdict, certificateHash: evaluation.certificateHash, frameHashes, asJson: flags.json ?? false },
      io,
    );
  let certified: CertifiedRender | null;
  try {
    certified = certifiedRender(evaluation.bundle);
  } catch (error) {
    if (error instanceof NotRedrawable) return report({ kind: 'not-judged', why: error.message });
    throw error;
  }
  if (certified === null) throw new UsageError(`${nameOf(source)}: is not the certificate of a render`);
  if (sha256(code) !== certified.codeHash)
    return fail({ reason: 'INPUT_HASH_MISMATCH', detail: 'snapshot.codeHash: is the hash of another sketch' }, io);

  // Loaded here only, so that other commands start faster.
  const { judgeRender, NetworkNotWithheld } = await import('../render/judge-render.js');
  const { totalFrames } = certified.input;
  const bar = new ProgressBar(io.stderr, totalFrames, io.now, `of ${totalFrames} frames`);
  const frameHashes: string[] = [];
  try {
    const verdict = await judgeRender(code, certified, {
      engines: flags['engine-folder'],
      allowNetwork: flags['allow-network'] ?? false,
      limits: {
        timeMs: (timeout ?? DEFAULT_TIMEOUT_SECONDS + SECONDS_PER_FRAME * totalFrames) * 1000,
        memoryBytes: (memory ?? DEFAULT_MEMORY_MB) * 1024 * 1024,
      },
      onFrame(_index, hash) {
        frameHashes.push(`sha256:${hash}`);
        bar.advance(1, 1);
      },
    });
    bar.clear();
    return report(verdict, frameHashes);
  } catch (error) {
    if (error instanceof NetworkNotWithheld)
      throw new UsageError(`${error.message}: use Linux or Node.js 25, or accept it with --allow-network`);
    throw error;
  }
}

function positive(flag: string | undefined, name: string): number | undefined {
  if (flag === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(flag)) throw new UsageError(`${name}: must be a whole number from 1 to 999999`);
  return Number(flag);
}
