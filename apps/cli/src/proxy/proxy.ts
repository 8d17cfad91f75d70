import { counted } from '@cer/cer-core/wording';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { faultCode } from '../files/fault-code.js';
import { TIMEOUT_MS, timeoutMs, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { printable } from '../printable.js';
import { addressIn, apiKey, NODE_FLAG_HELP, NODE_FLAGS, nodeAddress } from '../remote/node-client.js';
import { fail } from '../report/failure.js';
import { UsageError } from '../usage-error.js';

const PORT = 4700;
const MAX_PORT = 65535;

/** Certifies the model calls of programs that have no client. @see docs/clients.md, "Any language, by a proxy" */
export const proxyCommand: Command = {
  name: 'proxy',
  summary: 'certify the model calls of any program of this machine: it calls this address in place of its provider',
  usage: [
    'proxy URL --node URL [--api-key-file FILE] [--port N] [--app-id NAME] [--provider NAME]',
    'proxy URL --node URL [--spool DIR] [--max-spool-bytes N] [--refuse-when-full] [--timeout SECONDS]',
  ],
  options: [
    ['--port N', `the port of 127.0.0.1 to listen on (${PORT}); 0 lets the system choose`],
    ['--app-id NAME', 'the programs, as certificates name them (cer-proxy)'],
    ['--provider NAME', 'the provider in certificates; by its host unless given'],
    [
      '--spool DIR',
      'the folder where sealed certificates wait for the node; CER_SPOOL_DIR unless given, else .cer-spool',
    ],
    ['--max-spool-bytes N', 'how much may wait there (268435456)'],
    ['--refuse-when-full', 'refuse calls that would get no certificate because the spool is full'],
    ...NODE_FLAG_HELP,
  ],
  examples: [
    ['cer proxy https://api.openai.com', 'then start the program with OPENAI_BASE_URL=http://127.0.0.1:4700/v1'],
    ['cer proxy http://127.0.0.1:11434 --provider ollama', 'then OLLAMA_HOST=http://127.0.0.1:4700'],
  ],
  run,
};

async function run(args: readonly string[], given: Io): Promise<ExitCode> {
  const text = { type: 'string' } as const;
  const { flags, operands } = readArguments(args, {
    ...NODE_FLAGS,
    ...{ port: text, 'app-id': text, provider: text, spool: text, 'max-spool-bytes': text },
    'refuse-when-full': { type: 'boolean' },
  });
  const io = withTimeout(flags.timeout, given);
  const to = addressIn(onlyOperand(operands, 'URL'), 'URL');
  if (/[?#]/.test(to)) throw new UsageError('URL: must have neither a query nor a fragment', { seesHelp: true });
  const appId = labelOf(flags['app-id'], '--app-id') ?? 'cer-proxy';
  const provider = labelOf(flags.provider, '--provider');
  const port = numberOf(flags.port, '--port', MAX_PORT) ?? PORT;
  const maxSpoolBytes = numberOf(flags['max-spool-bytes'], '--max-spool-bytes', Number.MAX_SAFE_INTEGER);
  const node = {
    nodeUrl: nodeAddress(flags.node, io),
    apiKey: apiKey(flags['api-key-file'], io),
    timeoutMs: timeoutMs(io, TIMEOUT_MS.others),
  };
  const spoolDir = flags.spool ?? (io.env['CER_SPOOL_DIR'] || undefined);
  const refused: string[] = [];
  // Loaded here only, so that no other command waits for it.
  const { certificates } = await import('@cer/client');
  const { createUpstream } = await import('./upstream.js');
  const { startProxy } = await import('./serve.js');
  const upstream = createUpstream();
  // First of all, so that nothing is sent or taken over where the port is another's.
  const proxy = await startProxy({ to, port, fetch: (input, init) => observed(input, init) }).catch(
    (error: unknown) => {
      throw new UsageError(`--port: 127.0.0.1:${port} cannot be listened on (${faultCode(error)})`);
    },
  );
  const cer = certificates({
    appId,
    ...node,
    ...(spoolDir !== undefined && { spoolDir }),
    ...(maxSpoolBytes !== undefined && { maxSpoolBytes }),
    ...(flags['refuse-when-full'] === true && { onFull: 'throw-before-call' as const }),
    onCertified: ({ executionId, certificateHash, verificationUrl }) => {
      io.stdout.write(`${JSON.stringify({ executionId, certificateHash, verificationUrl })}\n`);
    },
    onDeadLetter: (_, code) => refused.push(code),
    onError: faultWriter(io),
  });
  const observed = cer.fetch({ fetch: upstream.fetch, ...(provider !== undefined && { provider }) });
  io.stderr.write(`${proxy.url} forwards to ${to} and certifies calls of models; Ctrl-C ends it\n`);
  await io.untilInterrupted();
  // The second time ends the calls too, which are certified as far as they came; the third time ends the process.
  void io.untilInterrupted().then(() => {
    proxy.abort();
  });
  await proxy.close();
  upstream.close();
  await cer.close();
  const { seen, sealed, attested, waiting, unsealed, dropped } = cer.stats();
  const without = unsealed + dropped === 0 ? '' : `, ${unsealed + dropped} without a certificate`;
  io.stderr.write(`${counted(seen, 'call')}, ${sealed} sealed, ${attested} attested, ${waiting} waiting${without}\n`);
  if (refused.length > 0) return fail({ reason: 'ATTESTATION_ERROR', details: refused }, io);
  return waiting > 0 ? EXIT.notJudged : EXIT.verified;
}

/** Text that a certificate takes as a label: with any other no call would have a certificate. */
function labelOf(flag: string | undefined, name: string): string | undefined {
  if (flag === undefined) return flag;
  if (flag === '' || flag.length > 256) throw new UsageError(`${name}: must have 1 to 256 characters`);
  if (/[\u0000-\u001f\u007f-\u009f]/.test(flag)) throw new UsageError(`${name}: must not have control characters`);
  return flag;
}

function numberOf(flag: string | undefined, name: string, most: number): number | undefined {
  if (flag === undefined) return undefined;
  if (/^\d{1,16}$/.test(flag) && Number(flag) <= most) return Number(flag);
  throw new UsageError(`${name}: must be a whole number from 0 to ${most}`);
}

/** Writes each fault when it first occurs: while a node is away, each attempt has the same one. */
function faultWriter(io: Io): (error: unknown) => void {
  const known = new Set<string>();
  return (error) => {
    const message = printable(error instanceof Error ? error.message : 'unknown fault', 500);
    if (known.has(message)) return;
    known.add(message);
    io.stderr.write(`${message}\n`);
  };
}
