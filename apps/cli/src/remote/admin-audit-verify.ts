import { elementsOf, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { AuditChainCheck, readAuditHead, type AuditFault, type AuditHead } from '@cer/cer-core/logs';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { loadKeys } from '../trusted-keys/key-material.js';
import { DEFAULT_MAX_BYTES, nameOf, readBytes } from '../files/read-bytes.js';
import { jsonObjectIn } from '../files/json-object.js';
import { readOwnJson, unpackedBytes } from '../files/read-json.js';
import { TIMEOUT_FLAG, TIMEOUT_FLAG_HELP, TIMEOUT_MS, timeoutMs, withTimeout } from '../http/timeout.js';
import { readSecretFile } from '../files/secret-file.js';
import type { Io } from '../io.js';
import { fail } from '../report/failure.js';
import { printableJson } from '../printable.js';
import { UsageError } from '../usage-error.js';
import { askNode, nodeAddress, NodeFault, refused, sendable, talking, type NodeAnswer } from './node-client.js';

/** Checks the audit log of a node, from the node or from saved pages. @see docs/spec.md, "Audit log" */
export const adminAuditVerifyCommand: Command = {
  name: 'admin audit verify',
  summary: 'check the audit log of a node: every link, every signature, its end',
  usage: [
    'admin audit verify FILE --keys FILE|URL [--head FILE]',
    'admin audit verify --node URL --keys FILE|URL --admin-secret-file FILE [--head FILE]',
  ],
  options: [
    ['--keys FILE|URL', 'the key set of the node'],
    ['--head FILE', 'where the log ended before: a shorter or other log is then detected'],
    ['--node URL', 'ask the node instead of reading a file'],
    ['--admin-secret-file FILE', 'the file that holds the admin secret; CER_ADMIN_SECRET unless given'],
    ...TIMEOUT_FLAG_HELP,
  ],
  examples: [
    [
      'cer admin audit verify audit.ndjson --keys keys.json --head head.json',
      'saved answers of GET /v1/admin/audit, one per line, or as format=ndjson',
    ],
  ],
  run,
};

const FLAGS = {
  keys: { type: 'string' },
  head: { type: 'string' },
  node: { type: 'string' },
  'admin-secret-file': { type: 'string' },
  ...TIMEOUT_FLAG,
} as const;

class Refusal extends Error {
  readonly answer: NodeAnswer;

  constructor(answer: NodeAnswer) {
    super('refused');
    this.answer = answer;
  }
}

async function run(args: readonly string[], untimed: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, FLAGS);
  const io = withTimeout(flags.timeout, untimed);
  const { material, unavailable } = await loadKeys(flags.keys, io);
  if (flags.keys === undefined) throw new UsageError('--keys is missing: pass the key set of the node');
  if (material === null) {
    const code = 'VERIFICATION_MATERIAL_UNAVAILABLE';
    return fail({ reason: code, code, detail: unavailable }, io);
  }
  const seen = flags.head === undefined ? null : await readHead(flags.head, io);
  if (operands.length > 0 && flags.node !== undefined) throw new UsageError('FILE and --node exclude each other');
  const pages =
    operands.length > 0
      ? pagesOfFile(onlyOperand(operands, 'FILE'), material.keySet.nodeId, io)
      : pagesOfNode(nodeAddress(flags.node, io), adminSecret(flags['admin-secret-file'], io), io);
  return talking(io, async () => {
    try {
      return await check(pages, new AuditChainCheck({ keySet: material.keySet, seen }), io);
    } catch (error) {
      if (error instanceof Refusal) return refused(error.answer, io);
      throw error;
    }
  });
}

async function check(pages: AsyncIterable<JsonObject>, chain: AuditChainCheck, io: Io): Promise<ExitCode> {
  let head: JsonValue | undefined;
  let isEmpty = true;
  for await (const page of pages) {
    const entries = member(page, 'entries');
    const rows = elementsOf(entries);
    for (const entry of rows) {
      isEmpty = false;
      const fault = await chain.add(entry);
      if (fault !== null) return failed(fault, io);
    }
    // The log may have grown from page to page: the newest end counts.
    head = member(page, 'head') ?? head;
  }
  const fault = await chain.end(head);
  if (fault !== null) {
    failed(fault, io);
    return isEmpty && fault.code === 'AUDIT_HEAD_UNSIGNED' ? EXIT.notFound : EXIT.failed;
  }
  io.stdout.write(`${printableJson({ status: 'VERIFIED', entries: chain.entries, head: head ?? null })}\n`);
  return EXIT.verified;
}

function failed(fault: AuditFault, io: Io): ExitCode {
  return fail({ reason: fault.code, ...fault }, io);
}

async function readHead(file: string, io: Io): Promise<AuditHead> {
  const value = readOwnJson(await readBytes(file, io.stdin, 65_536), file);
  const head = readAuditHead(isJsonObject(value) ? (member(value, 'head') ?? value) : value);
  if (head === null) throw new UsageError('--head: holds no head of an audit log');
  return head;
}

async function* pagesOfFile(file: string, nodeId: string, io: Io): AsyncGenerator<JsonObject> {
  const bytes = await readBytes(file, io.stdin, DEFAULT_MAX_BYTES);
  const text = new TextDecoder().decode(unpackedBytes(bytes, file, DEFAULT_MAX_BYTES));
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const page = pageOf(line, nodeId);
    if (page === null) {
      const rule = 'is not one answer of GET /v1/admin/audit, nor one line of its format=ndjson';
      throw new UsageError(`${nameOf(file)}: line ${at + 1} ${rule}`);
    }
    yield page;
  }
}

/** A saved answer as it is, and a line of `format=ndjson` as an answer of its own; null for any other text. */
function pageOf(line: string, nodeId: string): JsonObject | null {
  const value = jsonObjectIn(line);
  if (value === null) return null;
  if (Array.isArray(member(value, 'entries'))) return value;
  const entry = member(value, 'entry');
  if (!isJsonObject(entry)) return null;
  // The signature of an entry states that the log ends there.
  const [seq = null, hash = null] = [member(entry, 'seq'), member(value, 'hash')];
  const [kid = null, signature = null] = [member(value, 'kid'), member(value, 'signature')];
  return { entries: [value], head: { nodeId, seq, hash, kid, signature } };
}

async function* pagesOfNode(address: string, secret: string, io: Io): AsyncGenerator<JsonObject> {
  const maxMs = timeoutMs(io, TIMEOUT_MS.others);
  for (let after = 0; ;) {
    const question = { query: { limit: 1000, after }, headers: { 'x-admin-secret': secret } };
    const answer = await askNode({ address, maxMs }, 'auditLog', question);
    if (answer.status !== 200) throw new Refusal(answer);
    yield answer.body;
    const next = member(answer.body, 'next');
    if (typeof next !== 'number') return;
    // The node itself is under check: pages that lead back would be fetched without end.
    if (next <= after || !hasEntries(answer.body)) throw new NodeFault('the pages of the audit log do not advance');
    after = next;
  }
}

function hasEntries(page: JsonObject): boolean {
  const entries = member(page, 'entries');
  return Array.isArray(entries) && entries.length > 0;
}

function adminSecret(file: string | undefined, io: Pick<Io, 'env'>): string {
  const secret = file === undefined ? io.env['CER_ADMIN_SECRET'] : readSecretFile(file, '--admin-secret-file');
  if (secret === undefined || secret === '') {
    throw new UsageError('no admin secret: pass --admin-secret-file or set CER_ADMIN_SECRET');
  }
  return sendable(secret, file === undefined ? 'CER_ADMIN_SECRET' : '--admin-secret-file', 'admin secret');
}
