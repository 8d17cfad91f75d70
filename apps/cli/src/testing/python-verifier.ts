import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect } from '@jest/globals';
import type { Said } from './console.js';

const FOLDER = join(__dirname, '..', '..', '..', '..', 'clients', 'python');
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
if (!hasPython) process.stderr.write('Not compared with clients/python: there is no Python 3.9 or later.\n');

/** One process for all comparisons of a test file: Python takes longer to compile the verifier than to verify. */
function startPython() {
  const script = join(__dirname, 'python-verifier.py');
  const child = spawn('python3', [script], { cwd: FOLDER, stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  const ended = once(child, 'close');
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    async ask(args: readonly string[]): Promise<unknown> {
      stdin.write(`${JSON.stringify(args)}\n`);
      const answer = await answers.next();
      if (answer.done === true) throw new Error('the verifier in Python ended');
      return JSON.parse(answer.value) as unknown;
    },
    async end(): Promise<void> {
      stdin.end();
      await ended;
    },
  };
}

const python = hasPython ? startPython() : null;
afterAll(() => python?.end());

/**
 * Expects of the verifier in clients/python the outcome of `cer verify-package`: exit code, and every code of a finding.
 * Where there is no Python nothing is compared, and one line says so.
 * @param args of `verify-package`
 */
export async function expectSameInPython(args: readonly string[], { exitCode, stderr }: Said): Promise<void> {
  if (python === null) return;
  const said = (await python.ask(['--package', ...args])) as Pick<Said, 'exitCode' | 'stderr'>;
  expect({ exitCode: said.exitCode, codes: codesOf(said.stderr) }).toEqual({ exitCode, codes: codesOf(stderr) });
}

function codesOf(stderr: string): readonly string[] {
  if (!stderr.startsWith('{')) return [];
  const { findings } = JSON.parse(stderr) as { readonly findings: readonly { readonly code: string }[] };
  return [...new Set(findings.map(({ code }) => code))].sort();
}
