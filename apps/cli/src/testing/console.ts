import type { ExitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { run } from '../run.js';

/** The output and exit code of a command line. */
export interface Said {
  readonly exitCode: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly stdin?: string;
  readonly isTerminal?: boolean;
  readonly env?: Io['env'];
}

/** Runs a command line without a process: fixed clock, fixed ids and "random" bytes, real files. */
export async function cer(argv: readonly string[], surroundings: Surroundings = {}): Promise<Said> {
  const { stdin = '', isTerminal = false, env = {} } = surroundings;
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr'): Io['stdout'] => ({
    write: (text) => {
      written[name] += text;
    },
    isTerminal,
    columns: isTerminal ? 100 : undefined,
  });
  const exitCode = await run(argv, {
    stdin: chunksOf(stdin),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env,
    now: () => new Date('2026-03-01T00:00:00.000Z'),
    randomId: () => '99999999-0000-4000-8000-000000000000',
    randomBytes: (length) => new Uint8Array(length).fill(9),
    onInterrupt: () => () => undefined,
    untilInterrupted: () => Promise.resolve(),
  });
  return { exitCode, ...written };
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  // In small pieces: no reader may rely on a line or a file arriving in one.
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}
