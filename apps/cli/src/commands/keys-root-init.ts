import { keyFingerprint, KeyError, toSpkiBase64 } from '@cer/keys';
import { createRootFile } from '@cer/keys/file-signer';
import { readArguments } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { paragraph, rows, widthOf } from '../report/lay-out.js';
import { printable } from '../printable.js';
import { UsageError } from '../usage-error.js';
import type { Command } from '../command.js';

/** Makes a root key: verifiers that pin its fingerprint accept the keys that it signs for. */
export const keysRootInitCommand: Command = {
  name: 'keys root init',
  summary: 'make a root key, which vouches for the keys of a node',
  usage: ['keys root init --out FILE'],
  options: [['--out FILE', 'the key file to make, readable by its owner only; it is never overwritten']],
  examples: [
    ['cer keys root init --out /media/usb/root.json', 'on a computer that is never online; keep a copy elsewhere'],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, { out: { type: 'string' } });
  if (operands.length > 0) throw new UsageError('keys root init takes no FILE but --out');
  if (flags.out === undefined || flags.out === '')
    throw new UsageError('--out is missing: where to keep the root key?');
  const root = asUsage(() => createRootFile(flags.out ?? '', io.now()));
  const width = widthOf(io.stdout);
  io.stdout.write(
    rows(
      [
        ['Root key', printable(flags.out)],
        ['Fingerprint', keyFingerprint(root.publicKey)],
        ['Public key', toSpkiBase64(root.publicKey)],
      ],
      width,
    ),
  );
  io.stdout.write(
    paragraph(
      'Publish the fingerprint. Keep the file offline, with a copy in another place: it cannot be made again.',
      width,
    ),
  );
  return EXIT.verified;
}

/** Runs work that reads or makes a key file. @throws UsageError for any fault of the file */
export function asUsage<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof KeyError) throw new UsageError(printable(error.message));
    throw error;
  }
}
