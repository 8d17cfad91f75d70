// `npm start`: from a fresh checkout to a certificate sealed, verified and caught when tampered with. No dependencies.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureNode } from './setup/ensure-node.mjs';
import { runSteps } from './setup/setup-error.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runSteps(async () => {
  ensureNode();
  // Loaded after the check: these may use what an old Node does not have.
  const { ensureDependencies } = await import('./setup/ensure-dependencies.mjs');
  const { ensureBuild } = await import('./setup/ensure-build.mjs');
  const { showSample } = await import('./show-sample.mjs');
  await ensureDependencies({ root });
  await ensureBuild({ root, workspaces: ['@cer/cli'] });
  await showSample({ root });
});
