import { spawn } from 'node:child_process';
import { SetupError } from './setup-error.mjs';

const KEPT_CHARACTERS = 20_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a Node program to its end and returns the tail of its output. A signal to this process is forwarded, and the
 * program's end awaited: a second set-up must not start while the npm of the first one still writes.
 * @param {readonly string[]} args script and its arguments
 * @param {{cwd: string, env?: NodeJS.ProcessEnv, input?: string}} options `input`: its stdin
 * @returns {Promise<{code: number, output: string}>} code 1 also when a signal ended it
 * @throws {SetupError} when this process received a signal
 */
export function runNode(args, { cwd, env = process.env, input = '' }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => undefined).end(input);
    let output = '';
    let stoppedBy = null;
    const keep = (chunk) => {
      output = `${output}${chunk}`.slice(-KEPT_CHARACTERS);
    };
    const stop = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    const done = () => {
      for (const signal of SIGNALS) process.off(signal, stop);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('close', (code) => {
      done();
      if (stoppedBy === null) resolve({ code: code ?? 1, output });
      else reject(new SetupError(`interrupted (${stoppedBy}).`, 'Run the command again; it continues from here.'));
    });
  });
}

/** The last lines of an output, for a person to read. */
export function lastLines(output, count = 25) {
  return output.trimEnd().split('\n').slice(-count).join('\n');
}
