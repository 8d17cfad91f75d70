import type { JsonValue } from '@cer/canonical-json';
import type { RouteName } from '@cer/client/node-client';
import type { ExitCode } from '../exit-code.js';
import { readMaxBytes } from '../files/read-bytes.js';
import { readStrictFile } from '../files/read-json.js';
import { timeoutMs, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { fail } from '../report/failure.js';
import {
  apiKey,
  NODE_FLAGS,
  nodeAddress,
  postLinesToNode,
  postToNode,
  talking,
  type NodeAnswer,
} from './node-client.js';

/** Flags of commands that submit a file. */
export const SUBMIT_FLAGS = { ...NODE_FLAGS, 'max-bytes': { type: 'string' } } as const;

type SubmitFlags = { readonly [Name in keyof typeof SUBMIT_FLAGS]?: string };

/** A file and the node that it is submitted to. */
export interface FileSubmission {
  readonly value: JsonValue;
  readonly post: (route: RouteName, body: JsonValue) => Promise<NodeAnswer>;
  readonly postLines: (route: RouteName, lines: readonly string[]) => Promise<readonly JsonValue[] | NodeAnswer>;
}

/**
 * Reads a file strictly, then talks to the node about it.
 * @param maxMs time for each answer without --timeout, in milliseconds
 * @throws UsageError for a missing file, address or key
 */
export async function submit(
  flags: SubmitFlags,
  source: string,
  maxMs: number,
  io: Io,
  talk: (submission: FileSubmission) => Promise<ExitCode>,
): Promise<ExitCode> {
  const node = {
    address: nodeAddress(flags.node, io),
    apiKey: apiKey(flags['api-key-file'], io),
    maxMs: timeoutMs(withTimeout(flags.timeout, io), maxMs),
  };
  const json = await readStrictFile(source, io.stdin, readMaxBytes(flags['max-bytes']));
  if (json.fault !== null) {
    // The node would refuse it too, and would have seen it.
    return fail({ reason: 'BUNDLE_CORRUPTED', details: [json.fault.detail] }, io);
  }
  const { value } = json;
  return talking(io, () =>
    talk({
      value,
      post: (route, body) => postToNode(node, route, body),
      postLines: (route, lines) => postLinesToNode(node, route, lines),
    }),
  );
}
