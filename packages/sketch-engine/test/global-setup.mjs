// Compiles the module of Math and bundles the scripts: tests run what users run.
import { join } from 'node:path';
import { ensureBuild } from '../../../scripts/setup/ensure-build.mjs';

export default async function setup() {
  const root = join(import.meta.dirname, '..', '..', '..');
  await ensureBuild({ root, workspaces: ['@cer/sketch-engine'], log: () => undefined });
}
