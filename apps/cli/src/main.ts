import { randomBytes, randomUUID } from 'node:crypto';
import { isatty } from 'node:tty';
import { EXIT } from './exit-code.js';
import type { Io, Output } from './io.js';
import { fail } from './report/failure.js';
import { run } from './run.js';

// The only file that knows the process.

function output(stream: typeof process.stdout | typeof process.stderr): Output {
  // A reader may close the pipe early (`cer ... | head`); that is not a fault of the verification.
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    if (isServing) {
      isOutputLost = true;
      return;
    }
    // A result that is not written whole must not pass as one. Standard error gets no report about itself.
    const detail = `standard output could not be written (${code ?? 'unknown reason'})`;
    if (stream === process.stdout) fail({ reason: 'UNKNOWN_ERROR', detail }, io);
    process.exit(EXIT.failed);
  });
  return {
    write: (text) => void stream.write(text),
    isTerminal: isatty(stream.fd),
    columns: isatty(stream.fd) ? stream.columns : undefined,
  };
}

/** Whether other programs depend on this process: it continues without its output, and its exit code says so. */
let isServing = false;
let isOutputLost = false;

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

/** Acts on the next interrupt, once. @returns a function that takes this back */
function onNextInterrupt(act: (signal: NodeJS.Signals) => void): () => void {
  const takeBack = (): void => {
    for (const signal of INTERRUPTS) process.off(signal, interrupted);
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    takeBack();
    act(signal);
  };
  for (const signal of INTERRUPTS) process.on(signal, interrupted);
  return takeBack;
}

function onInterrupt(undo: () => void): () => void {
  return onNextInterrupt((signal) => {
    try {
      undo();
    } finally {
      // Without a listener the signal ends the process.
      process.kill(process.pid, signal);
    }
  });
}

function untilInterrupted(): Promise<void> {
  isServing = true;
  return new Promise((resolve) => {
    onNextInterrupt(() => {
      resolve();
    });
  });
}

const io: Io = {
  stdin: process.stdin,
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  env: process.env,
  now: () => new Date(),
  randomId: () => randomUUID(),
  randomBytes: (length) => new Uint8Array(randomBytes(length)),
  onInterrupt,
  untilInterrupted,
};

async function main(): Promise<void> {
  try {
    const exitCode = await run(process.argv.slice(2), io);
    process.exitCode = isOutputLost ? EXIT.failed : exitCode;
  } catch (error) {
    // Unexpected: fail closed, in the shape that callers parse. The message may quote a file, so only the class is reported.
    const kind = error instanceof Error ? error.name : typeof error;
    io.stderr.write(`${JSON.stringify({ status: 'FAILED', checks: {}, reason: 'UNKNOWN_ERROR', detail: kind })}\n`);
    process.exitCode = EXIT.failed;
  }
}

void main();
