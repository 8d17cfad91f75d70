import type { Command } from '../command.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

/** The answer of a tool. */
export interface ToolAnswer {
  readonly text: string;
  /** Whether the question has no answer, only a reason. */
  readonly isError: boolean;
}

/**
 * Runs a command of `cer` for an agent: what it prints is the answer of the tool.
 * @param stdin what the command reads as `-`
 */
export async function runQuietly(
  command: Pick<Command, 'run'>,
  args: readonly string[],
  io: Io,
  stdin: string | null = null,
): Promise<ToolAnswer> {
  const said = { stdout: '', stderr: '' };
  const output = (name: keyof typeof said): Io['stdout'] => ({
    write: (text) => {
      said[name] += text;
    },
    isTerminal: false,
    columns: undefined,
  });
  try {
    await command.run(args, { ...io, stdin: chunksOf(stdin), stdout: output('stdout'), stderr: output('stderr') });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { text: error.message, isError: true };
  }
  // A report of a failed verification is on both; one that was refused, on stderr only.
  return said.stdout === '' ? { text: said.stderr, isError: true } : { text: said.stdout, isError: false };
}

async function* chunksOf(text: string | null): AsyncGenerator<Uint8Array> {
  if (text !== null) yield new TextEncoder().encode(text);
}
