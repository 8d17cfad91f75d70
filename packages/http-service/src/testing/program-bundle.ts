import { join } from 'node:path';

/**
 * The bundle that tests start as a process or thread; `scripts/test/service-bundles.mjs` names the programs.
 * @param source of the program, from the root of the repository: `apps/node/src/main.ts`
 * @throws Error in a workspace whose tests have no bundles
 */
export function programBundle(source: string): string {
  return join(bundledPrograms(), source.replace(/\.(ts|mjs)$/, '.js'));
}

/** The folder of all bundles. @throws Error in a workspace whose tests have none */
export function bundledPrograms(): string {
  const folder = process.env['CER_TEST_PROGRAMS'];
  if (folder === undefined) throw new Error('call useServiceBundles in the jest globalSetup of this workspace');
  return folder;
}
