// The packages are packed as they are built; `npm start` in other tests finds the same build up to date.
import { join } from 'node:path';
import { ensureBuild } from '../../scripts/setup/ensure-build.mjs';

export default async function prepare() {
  await ensureBuild({ root: join(import.meta.dirname, '..', '..'), workspaces: ['@cer/cli'], log: () => undefined });
}
