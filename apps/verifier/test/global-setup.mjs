// The tests run what users run: the built command line and browser files. This brings them up to date.
import { join } from 'node:path';
import { ensureBuild } from '../../../scripts/setup/ensure-build.mjs';
import { useServiceBundles } from '../../../scripts/test/service-bundles.mjs';

export default async function prepare() {
  // The same build as `npm start`, which other tests call: it would replace any other build while these tests run.
  await ensureBuild({
    root: join(import.meta.dirname, '..', '..', '..'),
    workspaces: ['@cer/cli', '@cer/verifier'],
    log: () => undefined,
  });
  await useServiceBundles();
}
