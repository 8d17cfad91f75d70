import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Said } from './console.js';

const FOLDER = join(__dirname, '..', '..', '..', '..', 'clients', 'python');
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
if (!hasPython) process.stderr.write('Not compared with clients/python: there is no Python 3.9 or later.\n');

/**
 * Expects of the verifier in clients/python the outcome of `cer verify-package`: exit code, and every code of a finding.
 * Where there is no Python nothing is compared, and one line says so.
 * @param args of `verify-package`
 */
export function expectSameInPython(args: readonly string[], { exitCode, stderr }: Said): void {
  if (!hasPython) return;
  const said = spawnSync('python3', ['-m', 'cer_verify', '--package', ...args], { cwd: FOLDER, encoding: 'utf8' });
  expect({ exitCode: said.status, codes: codesOf(said.stderr) }).toEqual({ exitCode, codes: codesOf(stderr) });
}

function codesOf(stderr: string): readonly string[] {
  if (!stderr.startsWith('{')) return [];
  const { findings } = JSON.parse(stderr) as { readonly findings: readonly { readonly code: string }[] };
  return [...new Set(findings.map(({ code }) => code))].sort();
}
