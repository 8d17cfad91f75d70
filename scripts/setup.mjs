// npm run setup -- [--not-compiled]
// Installs what is missing and builds what is stale; with --not-compiled leaves packages that must be compiled for the
// next call.
//   npm run setup -- --not-compiled

// No dependencies.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureNode } from './setup/ensure-node.mjs';
import { readOptions } from './setup/options.mjs';
import { prepare } from './setup/prepare.mjs';
import { runSteps } from './setup/setup-error.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runSteps(() => {
  ensureNode();
  const options = { 'not-compiled': { type: 'boolean', default: false } };
  const { values } = readOptions(import.meta.filename, { options });
  return prepare(root, { compiled: !values['not-compiled'] });
});
