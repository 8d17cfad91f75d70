// npm test -- [WORKSPACE...] [PATTERN...] [options of jest]
// Installs what is missing, then runs every test, or those of workspaces, by the names of their folders. Other arguments go
// to jest.
//   npm test -- cer-core vectors

// No dependencies.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureNode } from './setup/ensure-node.mjs';
import { readOptions } from './setup/options.mjs';
import { prepare } from './setup/prepare.mjs';
import { runSteps } from './setup/setup-error.mjs';
import { jestArguments } from './test/jest-arguments.mjs';
import { memoryFolder } from './test/memory-folder.mjs';
import { workspacesIn } from './workspaces.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runSteps(async () => {
  ensureNode();
  // Only for --help.
  readOptions(import.meta.filename, { strict: false });
  // Built too: some tests run the services and the command line as users do.
  await prepare(root);
  // Installed once here, before suites ask for it at the same time.
  const { ensureBrowser } = await import('./browser.mjs');
  await ensureBrowser({ log: console.log });
  const { ensureSoftHsm } = await import('./softhsm.mjs');
  await ensureSoftHsm({ log: console.log });
  const { ensurePython } = await import('./python.mjs');
  ensurePython({ log: console.log });
  const names = workspacesIn(root).map(({ name }) => name);
  const folder = process.env.TMPDIR === undefined ? memoryFolder() : undefined;
  try {
    const env = { ...process.env, ...(folder !== undefined && { TMPDIR: folder }) };
    process.exitCode = await runJest(jestArguments(process.argv.slice(2), names), env);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
});

/** @returns {Promise<number>} jest's exit code; 1 when a signal ended it */
function runJest(args, env) {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const child = spawn(process.execPath, [jest, ...args], { cwd: root, env, stdio: 'inherit' });
  // An interrupt reaches the whole process group: jest ends on its own, and its exit code is reported.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
