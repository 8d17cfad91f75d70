// The prerequisites of every command: packages and a build.
import { ensureNode } from './ensure-node.mjs';

/**
 * Installs what is missing and builds what is stale.
 * @param {string} root the checkout
 * @param {{compiled?: boolean}} options `compiled: false` leaves packages that must be compiled for a later call: enough for
 *   checks that run nothing
 */
export async function prepare(root, { compiled = true } = {}) {
  ensureNode();
  // Loaded after the check: these may use features that an old Node lacks.
  const { ensureCompiled, ensurePackages } = await import('./ensure-dependencies.mjs');
  const { ensureBuild } = await import('./ensure-build.mjs');
  await ensurePackages({ root });
  // A build uses nothing that is compiled, and compiling takes one processor.
  const steps = await Promise.allSettled([ensureBuild({ root }), compiled && ensureCompiled({ root })]);
  const failed = steps.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
