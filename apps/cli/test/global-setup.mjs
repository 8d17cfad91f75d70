// Some tests run the built command as a user would; this brings the build up to date before them.
import { join } from 'node:path';
import { ensureBuild } from '../../../scripts/setup/ensure-build.mjs';

export default async function buildCli() {
  await ensureBuild({
    root: join(import.meta.dirname, '..', '..', '..'),
    workspaces: ['@cer/cli'],
    log: () => undefined,
  });
}
