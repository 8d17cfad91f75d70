import { readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { TIMEOUT_FLAG, TIMEOUT_FLAG_HELP, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { isUrl, loadKeys } from '../trusted-keys/key-material.js';
import { UsageError } from '../usage-error.js';

/**
 * Serves an agent over stdio until it closes its end.
 * @param verify the command that verifies for the agent
 * @see docs/coding-agents.md, "Model Context Protocol"
 */
export const mcpCommand = (verify: Command): Command => ({
  name: 'mcp',
  summary: 'let an agent verify and look up, over the Model Context Protocol on standard input and output',
  usage: ['mcp [--keys FILE|URL] [--node URL] [--api-key-file FILE] [--allow-certify]'],
  options: [
    ['--keys FILE|URL', 'the keys that certificates are verified with; an agent cannot choose others'],
    ['--node URL', 'the node that is asked; CER_NODE_URL unless given'],
    ['--api-key-file FILE', 'the key for list_records and certify_statement; CER_API_KEY unless given'],
    ['--allow-certify', 'also let the agent certify statements: without it every tool only reads'],
    ...TIMEOUT_FLAG_HELP,
  ],
  examples: [['cer mcp --keys keys.json --node https://node.example', 'as the command of an MCP server']],
  run: (args, io) => run(args, io, verify),
});

async function run(args: readonly string[], untimed: Io, verify: Command): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, {
    keys: { type: 'string' },
    node: { type: 'string' },
    'api-key-file': { type: 'string' },
    'allow-certify': { type: 'boolean' },
    ...TIMEOUT_FLAG,
  });
  if (operands.length > 0) throw new UsageError('mcp takes no FILE', { seesHelp: true });
  const io = withTimeout(flags.timeout, untimed);
  if (flags.keys === '-') throw new UsageError('--keys: must be a file or an address: standard input has the messages');
  if (flags.keys !== undefined && !isUrl(flags.keys)) await loadKeys(flags.keys, io);
  // Loaded here only: no other command waits for the protocol.
  const { serve } = await import('./serve.js');
  await serve(
    {
      verify,
      keys: flags.keys ?? null,
      node: flags.node ?? null,
      apiKeyFile: flags['api-key-file'] ?? null,
      allowsCertify: flags['allow-certify'] === true,
    },
    io,
  );
  return EXIT.verified;
}
