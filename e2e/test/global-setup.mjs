// The packages are packed as they are built; `npm start` in other tests finds the same build up to date.
import { join } from 'node:path';
import { ensureBuild } from '../../scripts/setup/ensure-build.mjs';
import { useServiceBundles } from '../../scripts/test/service-bundles.mjs';

export default async function prepare() {
  const workspaces = ['@cer/cli', '@cer/client', '@cer/node', '@cer/renderer', '@cer/witness'];
  await ensureBuild({ root: join(import.meta.dirname, '..', '..'), workspaces, log: () => undefined });
  await useServiceBundles();
}
