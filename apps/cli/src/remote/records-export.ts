import { once } from 'node:events';
import { constants, createWriteStream, rmSync, type WriteStream } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RecordFilter } from '@cer/client/node-client';
import { readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { faultCode } from '../files/fault-code.js';
import { nameOf } from '../files/read-bytes.js';
import { asWriteError } from '../files/write-error.js';
import { secondsOf, TIMEOUT_MS, timeoutMs, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { printable } from '../printable.js';
import { UsageError } from '../usage-error.js';
import {
  apiKey,
  NODE_FLAG_HELP,
  NODE_FLAGS,
  NodeFault,
  nodeAddress,
  refusalOrThrow,
  refused,
  talking,
  type NodeAnswer,
  type NodeConnection,
} from './node-client.js';

const PROGRESS_MS = 500;

/** Downloads an audit package. @see docs/spec.md, "GET /v1/records/export" */
export const recordsExportCommand: Command = {
  name: 'records export',
  summary: 'download your own records from a node as one signed audit package',
  usage: ['records export --out FILE.zip --node URL [--api-key-file FILE] [filters]'],
  options: [
    ['--out FILE', 'file to write; it appears complete or not at all, and replaces no file'],
    ...NODE_FLAG_HELP,
    ['--attested-from TIME', 'first attested at this date (UTC) or time, or later'],
    ['--attested-to TIME', 'first attested before this date (UTC) or time'],
    ['--app-id ID', 'of this application'],
    ['--bundle-type TYPE', 'of this type'],
    ['--provider NAME, --model NAME', 'of this provider, of this model'],
    ['--protocol-version VERSION', 'under this protocol'],
    ['--status STATUS', 'visible or hidden'],
    ['--timestamped, --log-proof', 'only with an external timestamp, only with a place in the transparency log'],
    ['--certificate-hash HASH', 'this certificate, also by the hash of its reseal'],
    ['--execution-id ID', 'of this execution'],
    ['--project-hash HASH', 'the steps of this project'],
    ['--reviewed-hash HASH', 'the human reviews of this certificate or project'],
  ],
  examples: [
    [
      'cer records export --out 2026.zip --attested-from 2026-01-01 --attested-to 2027-01-01 ' +
        '--node https://node.example --api-key-file key',
      'a year; then check it: cer verify-package 2026.zip --keys https://node.example',
    ],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const text = { type: 'string' } as const;
  const { flags, operands } = readArguments(args, {
    ...NODE_FLAGS,
    out: text,
    'attested-from': text,
    'attested-to': text,
    'app-id': text,
    'bundle-type': text,
    provider: text,
    model: text,
    'protocol-version': text,
    status: text,
    'certificate-hash': text,
    'execution-id': text,
    'project-hash': text,
    'reviewed-hash': text,
    timestamped: { type: 'boolean' },
    'log-proof': { type: 'boolean' },
  });
  if (operands.length > 0) throw new UsageError('records export takes no FILE: --out names where the package goes');
  const path = flags.out;
  if (path === undefined || path === '') throw new UsageError('--out is missing: which file should be written?');
  if (path === '-') throw new UsageError('--out: must be a file, because a partial package is worthless');
  const address = nodeAddress(flags.node, io);
  const key = apiKey(flags['api-key-file'], io);
  const maxSilenceMs = timeoutMs(withTimeout(flags.timeout, io), TIMEOUT_MS.silence);
  const filter: RecordFilter = {
    attestedFrom: flags['attested-from'],
    attestedTo: flags['attested-to'],
    appId: flags['app-id'],
    bundleType: flags['bundle-type'],
    provider: flags.provider,
    model: flags.model,
    protocolVersion: flags['protocol-version'],
    status: flags.status,
    timestamped: flags.timestamped === true ? true : undefined,
    logProof: flags['log-proof'] === true ? true : undefined,
    certificateHash: flags['certificate-hash'],
    executionId: flags['execution-id'],
    projectHash: flags['project-hash'],
    reviewedHash: flags['reviewed-hash'],
  };
  const target = await targetOf(path);
  return talking(io, async () => {
    const body = await ask({ address, apiKey: key, maxMs: maxSilenceMs }, filter);
    if ('isReplay' in body) return refused(body, io);
    const bytes = await download(body, target, maxSilenceMs, io);
    io.stdout.write(
      `${nameOf(path)}: ${bytes} bytes. Check it: cer verify-package ${nameOf(path)} --keys ${address}\n`,
    );
    return EXIT.verified;
  });
}

/**
 * @returns the package while it arrives, or the refusal. Reading the package fails after `maxMs` without bytes.
 * @throws NodeFault without one of them
 */
async function ask(
  { address, apiKey: key, maxMs }: Required<NodeConnection>,
  filter: RecordFilter,
): Promise<ReadableStream<Uint8Array> | NodeAnswer> {
  const { createNodeClient, NodeError } = await import('@cer/client/node-client');
  const client = createNodeClient({ nodeUrl: address, apiKey: key });
  try {
    return await client.exportRecords(filter, { retries: 0, timeoutMs: maxMs });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (error.status === null || error.answer !== null) return refusalOrThrow(error, maxMs);
    throw new NodeFault(`the response, status ${error.status}, is not a package: is this the address of a node?`);
  }
}

/** Where the bytes are written first, and their final name; equal when the target is not a regular file. */
interface Target {
  readonly draft: string;
  readonly path: string;
}

async function targetOf(path: string): Promise<Target> {
  try {
    const found = await stat(path);
    if (!found.isFile() && !found.isDirectory()) return { draft: path, path };
  } catch (error) {
    if (faultCode(error) !== 'ENOENT') throw asWriteError(error, path);
    await refuseUnusable(dirname(path));
    return { draft: `${path}.part`, path };
  }
  throw new UsageError(`--out: ${nameOf(path)} exists already, and nothing is overwritten`);
}

/** Found before the node is asked for a package that could not be kept. @throws UsageError */
async function refuseUnusable(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    if (faultCode(error) === 'ENOENT') throw new UsageError(`--out: the folder ${nameOf(folder)} does not exist`);
    throw asWriteError(error, folder);
  }
}

/** Writes the body to disk with backpressure. An incomplete package leaves no file. */
async function download(
  body: ReadableStream<Uint8Array>,
  { draft, path }: Target,
  maxSilenceMs: number,
  io: Io,
): Promise<number> {
  const isFile = draft !== path;
  const file = createWriteStream(draft, { flags: isFile ? 'wx' : 'w', mode: 0o600 });
  let takeBack = (): void => undefined;
  try {
    await once(file, 'open');
    if (isFile) {
      takeBack = io.onInterrupt(() => {
        rmSync(draft, { force: true });
      });
    }
    const bytes = await copy(body, file, io);
    if (isFile) {
      await synced(draft);
      await rename(draft, path);
      await synced(dirname(path));
    }
    return bytes;
  } catch (error) {
    file.destroy();
    // The rest is discarded; a broken stream has rejected its reader already.
    await body.cancel().catch(() => undefined);
    const code = faultCode(error);
    if (code === 'EEXIST')
      throw new UsageError(`--out: ${nameOf(draft)} exists already: is another export running? If not, remove it`);
    if (isFile) await rm(draft, { force: true });
    if (code !== null) throw new NodeFault(`the package could not be written (${worded(code)}): no file was written`);
    if (isSilence(error)) {
      const time = secondsOf(maxSilenceMs);
      throw new NodeFault(`the node sent nothing for ${time}: no file was written; try again, or with --timeout`);
    }
    throw new NodeFault('the node ended the package before it was complete: no file was written; try again');
  } finally {
    takeBack();
  }
}

/** The error that the client's stream throws after the time without bytes. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than this system lets it be',
};

function worded(code: string): string {
  const words = WORDS[code];
  return words === undefined ? code : `${words}, ${code}`;
}

async function copy(body: AsyncIterable<Uint8Array>, file: WriteStream, io: Io): Promise<number> {
  const failed = once(file, 'error').then(([error]) => {
    throw error instanceof Error ? error : new TypeError('the file failed');
  });
  // Mark as handled; every caller that awaits `failed` still gets the rejection.
  failed.catch(() => undefined);
  let bytes = 0;
  let shownAt = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (!file.write(chunk)) await Promise.race([once(file, 'drain'), failed]);
    const now = io.now().getTime();
    if (io.stderr.isTerminal && now - shownAt >= PROGRESS_MS) {
      shownAt = now;
      io.stderr.write(`\r\u001b[K${printable((bytes / 1024 / 1024).toFixed(1))} MiB`);
    }
  }
  if (shownAt > 0) io.stderr.write('\r\u001b[K');
  const closed = once(file, 'close');
  file.end();
  await Promise.race([closed, failed]);
  return bytes;
}

async function synced(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
