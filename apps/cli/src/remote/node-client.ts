import { isJsonObject, member, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { NodeError, NodeQuestion, RouteName, NodeAnswer as Received } from '@cer/client/node-client';
import { EXIT, type ExitCode } from '../exit-code.js';
import { connectionFault, isUnsent } from '../http/connection-fault.js';
import { secondsOf, TIMEOUT_FLAG, TIMEOUT_FLAG_HELP } from '../http/timeout.js';
import { webAddress } from '../http/web-address.js';
import { readSecretFile } from '../files/secret-file.js';
import type { Io } from '../io.js';
import { fail } from '../report/failure.js';
import { printable, printableJson } from '../printable.js';
import { UsageError } from '../usage-error.js';

/** Maximum response: the largest project that nodes accept, with a margin. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Flags of commands that talk to a node. Keys are never arguments: other users could read them. */
export const NODE_FLAGS = {
  node: { type: 'string' },
  'api-key-file': { type: 'string' },
  ...TIMEOUT_FLAG,
} as const;

/** Flags of commands that ask a node without a key. */
export const PUBLIC_NODE_FLAGS = { node: { type: 'string' }, ...TIMEOUT_FLAG } as const;

export const NODE_FLAG_HELP: readonly (readonly [string, string])[] = [
  ['--node URL', 'the address of the node; CER_NODE_URL unless given'],
  ['--api-key-file FILE', 'the file that holds your API key; the variable CER_API_KEY unless given'],
  ...TIMEOUT_FLAG_HELP,
];

/** For public routes, which need no key. */
export const PUBLIC_NODE_FLAG_HELP: readonly (readonly [string, string])[] = [
  ['--node URL', 'the address of the node; CER_NODE_URL unless given'],
  ...TIMEOUT_FLAG_HELP,
];

export interface NodeAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly isReplay: boolean;
}

/** The node did not give a usable response, or the response could not be stored; one sentence. */
export class NodeFault extends Error {
  override readonly name = 'NodeFault';
  /** Whether the node received nothing. */
  readonly isUnsent: boolean;

  constructor(message: string, { isUnsent = false }: { readonly isUnsent?: boolean } = {}) {
    super(message);
    this.isUnsent = isUnsent;
  }
}

/** @throws UsageError when the address is missing or malformed */
export function nodeAddress(flag: string | undefined, io: Pick<Io, 'env'>): string {
  const given = flag ?? io.env['CER_NODE_URL'];
  if (given === undefined || given === '') throw new UsageError('--node is missing (or set CER_NODE_URL)');
  return addressIn(given, flag === undefined ? 'CER_NODE_URL' : '--node');
}

/** The address of a node. @param named what gave it, for messages @throws UsageError when it is malformed */
export function addressIn(given: string, named: '--node' | 'CER_NODE_URL' | 'URL'): string {
  const url = webAddress(given, named, { seesHelp: named === 'URL' });
  return url.href.replace(/\/+$/, '');
}

/** @throws UsageError without a key */
export function apiKey(file: string | undefined, io: Pick<Io, 'env'>): string {
  const key = file === undefined ? io.env['CER_API_KEY'] : readSecretFile(file, '--api-key-file');
  if (key === '' && file !== undefined) throw new UsageError(`--api-key-file: ${file} is empty`);
  if (key === undefined || key === '') throw new UsageError('no API key: pass --api-key-file or set CER_API_KEY');
  return sendable(key, file === undefined ? 'CER_API_KEY' : '--api-key-file', 'API key');
}

/** @throws UsageError for text that a header cannot carry; fetch would report it like an unreachable node */
export function sendable(secret: string, source: string, what: string): string {
  if (/^[\x20-\x7e]+$/.test(secret)) return secret;
  throw new UsageError(`${source}: must hold the ${what} and nothing else`);
}

/** A node, and how a command talks to it. */
export interface NodeConnection {
  readonly address: string;
  readonly apiKey?: string;
  /** Maximum milliseconds of one answer. */
  readonly maxMs: number;
}

/**
 * Asks a node once, without retries: the caller of a command decides about those.
 * @returns the answer or the refusal
 * @throws NodeFault unless a JSON object arrives in time
 */
export async function askNode(node: NodeConnection, route: RouteName, question: NodeQuestion): Promise<NodeAnswer> {
  const received = await send(node, route, question);
  if ('body' in received) return received;
  try {
    const body = parseJson(received.bytes);
    if (isJsonObject(body)) {
      return { status: received.status, body, isReplay: received.headers.get('x-idempotent-replay') === 'true' };
    }
  } catch {
    // Not JSON, so not a node; reported below.
  }
  throw notJson(received.status);
}

/** Posts a JSON value. @throws NodeFault unless a JSON object arrives in time */
export function postToNode(node: NodeConnection, route: RouteName, value: JsonValue): Promise<NodeAnswer> {
  return askNode(node, route, { body: { bytes: JSON.stringify(value), type: 'application/json' } });
}

/**
 * Posts NDJSON.
 * @returns the lines of a 200, or the refusal of the whole batch
 * @throws NodeFault unless lines or a JSON object arrive in time
 */
export async function postLinesToNode(
  node: NodeConnection,
  route: RouteName,
  lines: readonly string[],
): Promise<readonly JsonValue[] | NodeAnswer> {
  const body = { bytes: `${lines.join('\n')}\n`, type: 'application/x-ndjson' };
  const received = await send(node, route, { body, accept: 'application/x-ndjson' });
  if ('body' in received) return received;
  try {
    const text = new TextDecoder().decode(received.bytes);
    return text.split('\n').flatMap((line) => (line === '' ? [] : [parseJson(line)]));
  } catch {
    throw new NodeFault('the response is not one JSON value a line: is this the address of a node?');
  }
}

async function send(
  { address, apiKey, maxMs }: NodeConnection,
  route: RouteName,
  question: NodeQuestion,
): Promise<Received | NodeAnswer> {
  // Loaded here only: a command that stays offline loads no networking code.
  const { createNodeClient, NodeError } = await import('@cer/client/node-client');
  const client = createNodeClient({ nodeUrl: address, ...(apiKey !== undefined && { apiKey }) });
  try {
    return await client.ask(route, question, { retries: 0, timeoutMs: maxMs, maxAnswerBytes: MAX_ANSWER_BYTES });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return refusalOrThrow(error, maxMs);
  }
}

/** @throws NodeFault unless the error is a refusal that is a JSON object */
export function refusalOrThrow(error: NodeError, maxMs: number): NodeAnswer {
  const { code, status, answer } = error;
  if (status !== null && answer !== null) return { status, body: answer, isReplay: false };
  if (code === 'ANSWER_TOO_LARGE') {
    throw new NodeFault(`the response is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`);
  }
  if (status !== null) throw notJson(status);
  if (code === 'TIMEOUT') throw new NodeFault(`the node did not respond within ${secondsOf(maxMs)}`);
  throw new NodeFault(`${error.message}${connectionFault(error.cause)}`, { isUnsent: isUnsent(error.cause) });
}

function notJson(status: number): NodeFault {
  return new NodeFault(`the response, status ${status}, is not a JSON object: is this the address of a node?`);
}

/** Runs a command's requests; a node that does not answer is a failure (exit code 1), not a usage error. */
export async function talking(io: Io, talk: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await talk();
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    return fail({ reason: 'NODE_UNAVAILABLE', detail: error.message }, io);
  }
}

/** For refusals that the node sends without a message. */
const WORDS: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['UNAUTHORIZED', 'the node rejects this API key: it is mistyped, revoked, or belongs to another node'],
  ['NOT_FOUND', 'there is no such route: is this the address of a node?'],
  ['RECORD_NOT_FOUND', 'the node has no public record of this: it was never certified there, or is hidden or deleted'],
]);

/**
 * Writes what the node refused: its code and sentences on stderr.
 * @see docs/spec.md, "Command line"
 */
export function refused({ status, body }: NodeAnswer, io: Io): ExitCode {
  const code = member(body, 'reasonCode') ?? member(body, 'error');
  const words = member(body, 'message') === undefined ? WORDS.get(code) : undefined;
  const isMissing = status === 404;
  const report = {
    status: isMissing ? 'NOT_FOUND' : 'FAILED',
    checks: {},
    reason: typeof code === 'string' ? code : 'NODE_UNAVAILABLE',
    httpStatus: status,
  };
  // The client's members come first; further members of the answer are statements of the node.
  const said = { ...report, ...body, ...(words !== undefined && { message: words }), ...report };
  io.stderr.write(`${printableJson(said)}\n`);
  return isMissing ? EXIT.notFound : EXIT.failed;
}

/** Writes the node's answer as JSON on stdout and a note for people on stderr. */
export function answered({ body, isReplay }: NodeAnswer, io: Io): ExitCode {
  io.stdout.write(`${printableJson(body)}\n`);
  const hash = member(body, 'certificateHash') ?? member(body, 'projectHash');
  if (io.stderr.isTerminal && typeof hash === 'string') {
    io.stderr.write(`${isReplay ? 'was recorded before' : 'recorded'}: ${printable(hash, 80)}\n`);
  }
  return EXIT.verified;
}
