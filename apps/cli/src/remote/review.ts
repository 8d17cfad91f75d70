import { rm } from 'node:fs/promises';
import type { JsonObject } from '@cer/canonical-json';
import { isSha256Hash, sha256 } from '@cer/cer-core';
import { REVIEW_DECISIONS, reviewRequest } from '@cer/cer-core/review';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import type { ExitCode } from '../exit-code.js';
import { writeNewFile } from '../files/new-file.js';
import { DEFAULT_MAX_BYTES, nameOf, readBytes } from '../files/read-bytes.js';
import { timeoutMs, TIMEOUT_MS, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import {
  answered,
  apiKey,
  NODE_FLAG_HELP,
  NODE_FLAGS,
  nodeAddress,
  NodeFault,
  postToNode,
  refused,
  talking,
  type NodeAnswer,
  type NodeConnection,
} from './node-client.js';

const OWNER_ONLY = 0o600;
const MAX_COMMENT_BYTES = 1024 * 1024;

/** Has a node certify a person's review. @see docs/spec.md, "Human reviews" */
export const reviewCommand: Command = {
  name: 'review',
  summary: "have a node certify a person's review of a certificate or project",
  usage: ['review HASH --decision DECISION --reviewer NAME --values FILE --node URL [options]'],
  options: [
    ['--decision DECISION', `${REVIEW_DECISIONS.join(', ')}; stated in clear`],
    ['--reviewer NAME', 'who reviewed; sealed'],
    ['--values FILE', 'write the sealed values to a new file of mode 0600; with the openings they show the review'],
    ['--comment FILE', 'the text of the comment; sealed'],
    ['--seen FILE', 'a file that the reviewer looked at; its hash is sealed'],
    ['--app ID', 'the application of the reviewed record, in clear: packages of this application have the review'],
    ['--project', 'HASH is that of a project'],
    ...NODE_FLAG_HELP,
  ],
  examples: [
    [
      'cer review sha256:... --decision approved --reviewer "Ada Example" --values values.json --node https://node.example > review.json',
      'the whole answer; cer verify takes it as it is',
    ],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, {
    ...NODE_FLAGS,
    decision: { type: 'string' },
    reviewer: { type: 'string' },
    values: { type: 'string' },
    comment: { type: 'string' },
    seen: { type: 'string' },
    app: { type: 'string' },
    project: { type: 'boolean' },
  });
  const reviewed = onlyOperand(operands, 'HASH');
  if (!isSha256Hash(reviewed)) throw new UsageError('HASH: must be sha256: and 64 lower-case hex digits');
  const decision = REVIEW_DECISIONS.find((name) => name === flags.decision);
  if (decision === undefined) throw new UsageError(`--decision: must be one of ${REVIEW_DECISIONS.join(', ')}`);
  const { reviewer = '', values } = flags;
  if (reviewer.trim() === '') throw new UsageError('--reviewer is missing', { seesHelp: true });
  if (values === undefined) throw new UsageError('--values is missing', { seesHelp: true });
  const node = {
    address: nodeAddress(flags.node, io),
    apiKey: apiKey(flags['api-key-file'], io),
    maxMs: timeoutMs(withTimeout(flags.timeout, io), TIMEOUT_MS.others),
  };
  const seen = flags.seen === undefined ? null : sha256(await readBytes(flags.seen, io.stdin, DEFAULT_MAX_BYTES));
  const request = reviewRequest({
    subject: flags.project === true ? 'project' : 'certificate',
    reviewed,
    decision,
    executionId: `review:${io.randomId()}`,
    reviewer,
    comment: flags.comment === undefined ? '' : await commentIn(flags.comment, io),
    seen,
    appId: flags.app ?? null,
    at: io.now().toISOString(),
  });
  const { executionId, input, output } = request;
  // Before the node is asked: values that cannot be stored would be lost.
  const text = `${JSON.stringify({ executionId, input, output }, null, 2)}\n`;
  await writeNewFile(values, text, { option: '--values', mode: OWNER_ONLY }, io);
  return talking(io, async () => {
    const answer = await certified(node, request, values);
    if (answer.status === 200) return answered(answer, io);
    // A refusal certifies nothing; a fault of the node, or of what is before it, may come after the certificate.
    if (answer.status < 500) await rm(values, { force: true });
    return refused(answer, io);
  });
}

/** Where the node received nothing, the values are of no review, and their file is removed. @throws NodeFault */
async function certified(node: NodeConnection, request: JsonObject, values: string): Promise<NodeAnswer> {
  try {
    return await postToNode(node, 'certify', request);
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    if (!error.isUnsent) {
      throw new NodeFault(`${error.message}. It may have certified the review, so ${nameOf(values)} is kept`);
    }
    await rm(values, { force: true });
    throw error;
  }
}

async function commentIn(source: string, io: Io): Promise<string> {
  const bytes = await readBytes(source, io.stdin, MAX_COMMENT_BYTES);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${nameOf(source)}: is not valid UTF-8`);
  }
}
