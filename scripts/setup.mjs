// `npm run setup`: installs what is missing and builds what is stale. No dependencies.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureNode } from './setup/ensure-node.mjs';
import { runSteps } from './setup/setup-error.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runSteps(async () => {
  ensureNode();
  // Loaded after the check: these may use features that an old Node lacks.
  const { ensureDependencies } = await import('./setup/ensure-dependencies.mjs');
  await ensureDependencies({ root });
  const { ensureBuild } = await import('./setup/ensure-build.mjs');
  await ensureBuild({ root });
});
