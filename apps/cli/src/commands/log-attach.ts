import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { writeNewFile } from '../files/new-file.js';
import { DEFAULT_MAX_BYTES, readBytes } from '../files/read-bytes.js';
import { readOwnJson } from '../files/read-json.js';
import type { Io } from '../io.js';
import { withLogProof } from '../log/attach-proof.js';
import { UsageError } from '../usage-error.js';

/** Puts a log proof into a certificate, package or project, outside hash and envelope. */
export const logAttachCommand: Command = {
  name: 'log attach',
  summary: 'put a log proof into a certificate, package or project bundle',
  usage: ['log attach FILE --proof FILE [--out FILE]'],
  options: [
    ['--proof FILE', 'the proof that cer log proof fetched'],
    ['--out FILE', 'file to write; standard output unless given'],
  ],
  examples: [
    ['cer log attach certificate.json --proof proof.json --out logged.json', 'no hash and no signature changes'],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, { proof: { type: 'string' }, out: { type: 'string' } });
  const source = onlyOperand(operands, 'FILE');
  if (flags.proof === undefined) throw new UsageError('--proof is missing', { seesHelp: true });
  const { readLogProof } = await import('../log/read-proof.js');
  const value = readOwnJson(await readBytes(source, io.stdin, DEFAULT_MAX_BYTES), source);
  // Not indented: each level of a deep file would lengthen each of its lines.
  const text = `${JSON.stringify(withLogProof(value, await readLogProof(flags.proof, io)))}\n`;
  if (flags.out === undefined) io.stdout.write(text);
  else await writeNewFile(flags.out, text, { option: '--out' }, io);
  return EXIT.verified;
}
