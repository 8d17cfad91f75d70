import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import type { ExitCode } from '../exit-code.js';
import { readBytes, readMaxBytes } from '../files/read-bytes.js';
import { readStrictJson } from '../files/read-json.js';
import type { Io } from '../io.js';
import { fail } from '../report/failure.js';
import {
  answered,
  apiKey,
  NODE_FLAG_HELP,
  NODE_FLAGS,
  nodeAddress,
  postToNode,
  refused,
  talking,
} from './node-client.js';

/** A command that hands one file to a node and prints its answer. */
interface Submission extends Pick<Command, 'name' | 'summary' | 'examples'> {
  readonly path: string;
}

function submitCommand({ path, ...row }: Submission): Command {
  return {
    ...row,
    usage: [`${row.name} FILE|- --node URL [--api-key-file FILE] [--max-bytes N]`],
    options: [...NODE_FLAG_HELP, ['--max-bytes N', 'read files of up to N bytes']],
    run: (args, io) => submit(path, args, io),
  };
}

async function submit(path: string, args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, { ...NODE_FLAGS, 'max-bytes': { type: 'string' } });
  const source = onlyOperand(operands, 'FILE');
  const address = nodeAddress(flags.node, io);
  const key = apiKey(flags['api-key-file'], io);
  const json = readStrictJson(await readBytes(source, io.stdin, readMaxBytes(flags['max-bytes'])), source);
  if (json.fault !== null) {
    // The node would refuse it too, and would have seen it.
    return fail({ reason: 'BUNDLE_CORRUPTED', details: [json.fault.detail] }, io);
  }
  return talking(io, async () => {
    const answer = await postToNode(address, path, key, json.value);
    return answer.status === 200 ? answered(answer, io) : refused(answer, io);
  });
}

/** @see docs/spec.md, "POST /v1/cer/ai/certify" */
export const certifyCommand = submitCommand({
  name: 'certify',
  summary: 'have a node seal, sign and record the description of an execution',
  path: '/v1/cer/ai/certify',
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
  path: '/api/attest',
  examples: [
    [
      'cer seal execution.json | cer attest - --node https://node.example --api-key-file key',
      'the node checks the hash, and never makes or replaces it',
    ],
  ],
});

/** @see docs/spec.md, "POST /v1/project-bundle/register" */
export const registerProjectCommand = submitCommand({
  name: 'register-project',
  summary: 'register a project bundle whose steps the node has on record',
  path: '/v1/project-bundle/register',
  examples: [
    [
      'cer register-project project.json --node https://node.example --api-key-file key',
      'prints the receipt of the node',
    ],
  ],
});
