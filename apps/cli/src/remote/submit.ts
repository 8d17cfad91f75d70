import type { RouteName } from '@cer/client/node-client';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { TIMEOUT_MS } from '../http/timeout.js';
import { answered, NODE_FLAG_HELP, refused } from './node-client.js';
import { submit, SUBMIT_FLAGS } from './submit-file.js';

/** A command that hands one file to a node and prints its answer. */
interface Submission extends Pick<Command, 'name' | 'summary' | 'examples'> {
  readonly route: RouteName;
  /** Time for the answer without --timeout, in milliseconds. */
  readonly maxMs: number;
}

function submitCommand({ route, maxMs, ...row }: Submission): Command {
  return {
    ...row,
    usage: [`${row.name} FILE|- --node URL [--api-key-file FILE] [--max-bytes N]`],
    options: [...NODE_FLAG_HELP, ['--max-bytes N', 'read files of up to N bytes']],
    run: async (args, io) => {
      const { flags, operands } = readArguments(args, SUBMIT_FLAGS);
      return submit(flags, onlyOperand(operands, 'FILE'), maxMs, io, async ({ post, value }) => {
        const answer = await post(route, value);
        return answer.status === 200 ? answered(answer, io) : refused(answer, io);
      });
    },
  };
}

/** @see docs/spec.md, "POST /v1/cer/ai/certify" */
export const certifyCommand = submitCommand({
  name: 'certify',
  summary: 'have a node seal, sign and record the description of an execution',
  route: 'certify',
  maxMs: TIMEOUT_MS.others,
  examples: [
    [
      'cer certify execution.json --node https://node.example --api-key-file key > certificate.json',
      'the whole answer; cer verify takes it as it is',
    ],
  ],
});

/** @see docs/spec.md, "POST /api/attest" */
export const attestCommand = submitCommand({
  name: 'attest',
  summary: 'have a node sign and record a certificate that was sealed elsewhere',
  route: 'attest',
  maxMs: TIMEOUT_MS.attest,
  examples: [
    [
      'cer seal execution.json | cer attest - --node https://node.example --api-key-file key',
      'the node checks the hash, and never makes or replaces it',
    ],
  ],
});
