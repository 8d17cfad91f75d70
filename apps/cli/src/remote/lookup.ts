import { isSha256Hash } from '@cer/cer-core';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import type { ExitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { TIMEOUT_MS, timeoutMs, withTimeout } from '../http/timeout.js';
import {
  answered,
  askNode,
  nodeAddress,
  PUBLIC_NODE_FLAG_HELP,
  PUBLIC_NODE_FLAGS,
  refused,
  talking,
} from './node-client.js';

/** @see docs/spec.md, "GET /v1/cer/public" */
export const lookupCommand: Command = {
  name: 'lookup',
  summary: 'fetch the public record of a certificate, without a verdict',
  usage: ['lookup HASH --node URL', 'lookup --execution-id ID --node URL'],
  options: [
    ...PUBLIC_NODE_FLAG_HELP,
    ['--execution-id ID', 'the earliest record with this label, and the hashes of others'],
  ],
  examples: [
    ['cer lookup sha256:... --node https://node.example > record.json', 'cer verify takes the record as it is'],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, { ...PUBLIC_NODE_FLAGS, 'execution-id': { type: 'string' } });
  const address = nodeAddress(flags.node, io);
  const maxMs = timeoutMs(withTimeout(flags.timeout, io), TIMEOUT_MS.others);
  const executionId = flags['execution-id'];
  if (executionId !== undefined && operands.length > 0) throw new UsageError('pass either HASH or --execution-id');
  const query = executionId === undefined ? { certificate_hash: hashOperand(operands) } : { execution_id: executionId };
  return talking(io, async () => {
    const answer = await askNode({ address, maxMs }, 'lookup', { query });
    return answer.status === 200 ? answered(answer, io) : refused(answer, io);
  });
}

function hashOperand(operands: readonly string[]): string {
  const hash = onlyOperand(operands, 'HASH');
  if (!isSha256Hash(hash)) throw new UsageError('HASH must be sha256: and 64 lower-case hex digits');
  return hash;
}
