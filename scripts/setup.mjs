// `npm run setup`: installs what is missing and builds what is stale; with `--not-compiled` leaves packages that must be
// compiled for the next call. No dependencies.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare } from './setup/prepare.mjs';
import { runSteps } from './setup/setup-error.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runSteps(() => prepare(root, { compiled: !process.argv.includes('--not-compiled') }));
