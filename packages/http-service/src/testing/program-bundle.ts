import { join } from 'node:path';

/**
 * The bundle that tests start as a process or thread; `scripts/test/service-bundles.mjs` names the programs.
 * @param source of the program, from the root of the repository: `apps/node/src/main.ts`
 * @throws Error in a workspace whose tests have no bundles
 */
export function programBundle(source: string): string {
  const folder = process.env['CER_TEST_PROGRAMS'];
  if (folder === undefined) throw new Error('call useServiceBundles in the jest globalSetup of this workspace');
  return join(folder, source.replace(/\.ts$/, '.js'));
}
