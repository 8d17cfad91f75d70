// Provides a Python with the packages that the tests of clients/python need, in a virtual environment below .data.
// As a program, with the name of a list if it is another one, it prints where that Python is. Imports no package, so that
// it runs before any build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lists = join(root, 'clients', 'python', 'tests');
const OLDEST_MINOR = 9;

/** Whether there is a Python that clients/python supports. */
export function hasPython() {
  return pythonFrom(OLDEST_MINOR) === 'python3';
}

/** A Python of at least this minor version: that of the machine, or a later one beside it. */
function pythonFrom(minor) {
  const program = `import sys; sys.exit(sys.version_info < (3, ${minor}))`;
  const pyenv = join(homedir(), '.pyenv', 'versions');
  const kept = existsSync(pyenv) ? readdirSync(pyenv).map((version) => join(pyenv, version, 'bin', 'python3')) : [];
  const known = ['python3', 'python3.14', 'python3.13', 'python3.12', ...kept];
  return known.find((python) => spawnSync(python, ['-c', program]).status === 0);
}

/**
 * Installs the packages of a list where they are not; returns at once when they are.
 * @param {{log?: (line: string) => void, list?: string, minor?: number}} [options] `list` is a file of
 *   clients/python/tests, `minor` the least version that its packages need
 * @returns {{python: string} | {python: undefined, reason: string}}
 */
export function ensurePython({ log = console.log, list = 'requirements.txt', minor = OLDEST_MINOR } = {}) {
  const base = pythonFrom(minor);
  if (base === undefined) return { python: undefined, reason: `there is no Python 3.${minor} or later` };
  const hash = createHash('sha256').update(readFileSync(join(lists, 'requirements.txt')));
  const digest = hash
    .update(readFileSync(join(lists, list)))
    .digest('hex')
    .slice(0, 12);
  const folder = join(root, '.data', 'python');
  const venv = join(folder, `${list}-${digest}`);
  const python = join(venv, 'bin', 'python');
  if (existsSync(python)) return { python };
  log(`python: installing ${list} of clients/python into ${venv}`);
  mkdirSync(folder, { recursive: true });
  // Made under another name: an environment that is there is whole. Its Python finds the packages where it is.
  const made = `${venv}.${process.pid}`;
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check'];
  const steps = [
    [base, '-m', 'venv', made],
    [join(made, 'bin', 'python'), ...pip, '-r', join(lists, list)],
  ];
  const isMade = steps.every(([program, ...args]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0);
  if (isMade && !existsSync(venv)) renameSync(made, venv);
  rmSync(made, { recursive: true, force: true });
  return existsSync(python) ? { python } : { python: undefined, reason: 'its packages cannot be installed' };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = ensurePython({ log: console.error, list: process.argv[2] });
  console.log(found.python === undefined ? `python: none (${found.reason})` : `python: ${found.python}`);
}
