import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * What the build makes of a source, for tests that start it as a process or thread.
 * @param source of the program, from the root of the repository: `apps/node/src/main.ts`
 */
export function builtProgram(source: string): string {
  // The checkout itself may be below a folder `src`.
  const own = relative(ROOT, resolve(ROOT, source));
  return resolve(ROOT, own.replace(/\/src\/(.*)\.ts$/, '/dist/$1.js'));
}
