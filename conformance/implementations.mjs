// The implementations in this repository. Another one is named by --command.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const adapter = (name) => join(import.meta.dirname, 'adapters', `${name}.mjs`);
const runs = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** By name: a function that returns {command, cwd?}, or {missing: the reason why it cannot run here}. */
export const IMPLEMENTATIONS = {
  node: () => ({ command: [process.execPath, adapter('node')] }),
  browser: () => ({ command: [process.execPath, adapter('browser')] }),
  go: () => {
    if (!runs('go', 'version')) return { missing: 'there is no Go on this machine (go.dev, 1.24 or later)' };
    const program = join(root, 'node_modules', '.cache', 'cer-conformance', 'go');
    // Another process may be running it.
    const built = `${program}.${process.pid}`;
    execFileSync('go', ['build', '-o', built, './cmd/cer-conformance'], {
      cwd: join(root, 'clients', 'go'),
      env: { ...process.env, GOTOOLCHAIN: 'local' },
    });
    renameSync(built, program);
    return { command: [program] };
  },
  python: () => {
    const cwd = join(root, 'clients', 'python');
    if (!existsSync(cwd)) return { missing: 'clients/python is not there' };
    if (!runs('python3', '--version')) return { missing: 'there is no Python 3 on this machine' };
    return { command: ['python3', join(import.meta.dirname, 'adapters', 'python.py')], cwd };
  },
};
