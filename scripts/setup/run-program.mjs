import { spawn } from 'node:child_process';

const KEPT_CHARACTERS = 20_000;

/**
 * Runs a Node program to its end and keeps the last of what it said.
 * @param {readonly string[]} args script and its arguments
 * @param {{cwd: string, env?: NodeJS.ProcessEnv, input?: string}} options `input`: what it reads on stdin
 * @returns {Promise<{code: number, output: string}>} code 1 also when a signal ended it
 */
export function runNode(args, { cwd, env = process.env, input = '' }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => undefined).end(input);
    let output = '';
    const keep = (chunk) => {
      output = `${output}${chunk}`.slice(-KEPT_CHARACTERS);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** The last lines of an output, for a person to read. */
export function lastLines(output, count = 25) {
  return output.trimEnd().split('\n').slice(-count).join('\n');
}
