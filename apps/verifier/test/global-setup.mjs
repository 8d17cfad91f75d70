// The tests run what users run: the built node, command line and browser files. This brings them up to date.
import { join } from 'node:path';
import { ensureBuild } from '../../../scripts/setup/ensure-build.mjs';

export default async function prepare() {
  // As `npm start` does it, which other tests call: a build that it did not make it would write anew under these tests.
  await ensureBuild({
    root: join(import.meta.dirname, '..', '..', '..'),
    workspaces: ['@cer/node', '@cer/cli', '@cer/verifier'],
    log: () => undefined,
  });
}
