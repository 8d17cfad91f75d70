import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Acknowledged records of a process: executionId to certificate hash. */
export type Acknowledged = ReadonlyMap<string, string>;

/**
 * Runs a process that records `PREFIX-0`, `PREFIX-1`, ... and waits for its end.
 * @param killAfter kill -9 after so many acknowledgements
 */
export async function recordInProcess(options: {
  readonly url: string;
  /** Whether it writes to SQLite in a thread. */
  readonly inThread: boolean;
  readonly prefix: string;
  readonly count?: number;
  readonly killAfter?: number;
}): Promise<Acknowledged> {
  const { url, inThread, prefix, count = Infinity, killAfter = Infinity } = options;
  const script = join(__dirname, 'recording-process.mjs');
  const child = spawn(process.execPath, [script, url, prefix, String(count), String(inThread)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [lines, errors] = await Promise.all([linesOf(child, killAfter), textOf(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0 && child.signalCode !== 'SIGKILL') throw new Error(`the process failed: ${errors}`);
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}

async function linesOf(child: ChildProcess, killAfter: number): Promise<readonly string[]> {
  let text = '';
  let lines = 0;
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    lines += String(chunk).split('\n').length - 1;
    if (lines >= killAfter) child.kill('SIGKILL');
  }
  // The last part is empty or a truncated line.
  return text.split('\n').slice(0, -1);
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) text += String(chunk);
  return text;
}
