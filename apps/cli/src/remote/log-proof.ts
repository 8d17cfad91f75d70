import { isSha256Hash } from '@cer/cer-core';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { writeNewFile } from '../files/new-file.js';
import { TIMEOUT_MS, timeoutMs, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { proofEntry } from '../log/read-proof.js';
import { fail } from '../report/failure.js';
import { UsageError } from '../usage-error.js';
import { apiKey, askNode, NODE_FLAG_HELP, NODE_FLAGS, nodeAddress, refused, talking } from './node-client.js';

/** Fetches the log proof of a certificate or project. @see docs/spec.md, "Log proofs" */
export const logProofCommand: Command = {
  name: 'log proof',
  summary: 'fetch the proof that the log of a node holds a certificate or project',
  usage: ['log proof HASH --node URL [--project] [--out FILE] [--api-key-file FILE]'],
  options: [
    ...NODE_FLAG_HELP,
    ['--project', 'HASH is that of a project'],
    ['--out FILE', 'file to write; standard output unless given'],
  ],
  examples: [
    ['cer log proof sha256:... --node https://node.example --out proof.json', 'then: cer log attach, or --log-proof'],
  ],
  run,
};

async function run(args: readonly string[], given: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, {
    ...NODE_FLAGS,
    project: { type: 'boolean' },
    out: { type: 'string' },
  });
  const io = withTimeout(flags.timeout, given);
  const hash = onlyOperand(operands, 'HASH');
  if (!isSha256Hash(hash)) throw new UsageError('HASH must be sha256: and 64 lower-case hex digits');
  const address = nodeAddress(flags.node, io);
  const hasKey = flags['api-key-file'] !== undefined || (io.env['CER_API_KEY'] ?? '') !== '';
  const node = {
    address,
    maxMs: timeoutMs(io, TIMEOUT_MS.others),
    ...(hasKey && { apiKey: apiKey(flags['api-key-file'], io) }),
  };
  const query = { [flags.project === true ? 'project_hash' : 'certificate_hash']: hash };
  return talking(io, async () => {
    const answer = await askNode(node, 'logProof', { query, withKey: true });
    if (answer.status !== 200) return refused(answer, io);
    const entry = proofEntry(JSON.stringify(answer.body));
    if (entry === null) return fail({ reason: 'LOG_PROOF_MALFORMED', detail: 'the node answered no log proof' }, io);
    const text = `${JSON.stringify(entry, null, 2)}\n`;
    if (flags.out === undefined) io.stdout.write(text);
    else await writeNewFile(flags.out, text, { option: '--out' }, io);
    return EXIT.verified;
  });
}
