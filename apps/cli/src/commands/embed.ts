import { CerError } from '@cer/cer-core';
import { embedCertificate, judgePicture, readPicture } from '@cer/cer-core/picture';
import { evaluateCer } from '@cer/cer-core/verify';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { writeNewFile } from '../files/new-file.js';
import { DEFAULT_MAX_BYTES, nameOf, readBytes } from '../files/read-bytes.js';
import { readOwnJson } from '../files/read-json.js';
import type { Io } from '../io.js';
import { fail } from '../report/failure.js';
import { UsageError } from '../usage-error.js';

/** Puts the certificate of a render into its picture. @see docs/spec.md, "Certificates in pictures" */
export const embedCommand: Command = {
  name: 'embed',
  summary: 'put the certificate of a render into its picture',
  usage: ['embed PICTURE|- --certificate FILE --out FILE'],
  options: [
    [
      '--certificate FILE',
      'the certificate that names this picture: a bundle or a package; it replaces the one that PICTURE carries',
    ],
    ['--out FILE', 'the PNG to write; it replaces no file'],
  ],
  examples: [['cer embed picture.png --certificate certificate.json --out certified.png', 'no pixel changes']],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, { certificate: { type: 'string' }, out: { type: 'string' } });
  const source = onlyOperand(operands, 'PICTURE');
  const { certificate: from, out } = flags;
  if (from === undefined) throw new UsageError('--certificate is missing', { seesHelp: true });
  if (out === undefined) throw new UsageError('--out is missing', { seesHelp: true });
  if (source === '-' && from === '-') throw new UsageError('PICTURE and --certificate cannot both be standard input');
  const file = await readBytes(source, io.stdin, DEFAULT_MAX_BYTES);
  const certificate = readOwnJson(await readBytes(from, io.stdin, DEFAULT_MAX_BYTES), from);
  let picture: Uint8Array;
  try {
    picture = readPicture(file).png;
  } catch (error) {
    if (!(error instanceof CerError)) throw error;
    return fail({ reason: 'BUNDLE_CORRUPTED', detail: error.message }, io);
  }
  const intact = await evaluateCer(certificate, { verifiedAt: io.now().toISOString() });
  const {
    evaluation: { integrity, findings },
    picture: { isCertified },
  } = judgePicture(intact, picture);
  if (integrity.status === 'FAIL' || !isCertified) {
    const reason = integrity.status === 'FAIL' ? integrity.code : 'OUTPUT_HASH_MISMATCH';
    return fail({ reason, findings }, io);
  }
  let certified: Uint8Array;
  try {
    certified = embedCertificate(picture, certificate);
  } catch (error) {
    if (!(error instanceof CerError)) throw error;
    throw new UsageError(`${nameOf(source)}: ${error.message}`);
  }
  if (Buffer.compare(certified, file) === 0) {
    return fail({ reason: 'UNCHANGED', detail: 'the picture carries this certificate already' }, io);
  }
  await writeNewFile(out, certified, { option: '--out' }, io);
  return EXIT.verified;
}
