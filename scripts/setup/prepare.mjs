// The prerequisites of every command: packages and a build.
import { ensureNode } from './ensure-node.mjs';

/**
 * Installs what is missing and builds what is stale.
 * @param {string} root the checkout
 */
export async function prepare(root) {
  ensureNode();
  // Loaded after the check: these may use features that an old Node lacks.
  const { ensureDependencies } = await import('./ensure-dependencies.mjs');
  const { ensureBuild } = await import('./ensure-build.mjs');
  await ensureDependencies({ root });
  await ensureBuild({ root });
}
