// npm start
// From a fresh checkout to running services and a certified sample. docs/operations.md lists its settings.

// No dependencies.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureNode } from './setup/ensure-node.mjs';
import { readOptions } from './setup/options.mjs';
import { prepare } from './setup/prepare.mjs';
import { runSteps } from './setup/setup-error.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runSteps(async () => {
  ensureNode();
  readOptions(import.meta.filename);
  await prepare(root);
  const { startServices } = await import('./services/start-services.mjs');
  const browser = existsSync(join(root, 'apps', 'renderer', 'package.json'))
    ? await (await import('./browser.mjs')).ensureBrowser({ log: console.log })
    : null;
  await startServices({ root, browser });
});
// Sockets that a child left open must not keep a stopped start alive.
process.exit();
