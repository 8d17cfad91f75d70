// Builds what runs inside the pages, and brings a browser before the suites that need one; where none can be had, they say so instead of running.
import { join } from 'node:path';
import { ensureBrowser } from '../../../scripts/browser.mjs';
import { ensureBuild } from '../../../scripts/setup/ensure-build.mjs';

export default async function setup() {
  const root = join(import.meta.dirname, '..', '..', '..');
  await ensureBuild({ root, workspaces: ['@cer/sketch-engine'], log: () => undefined });
  const found = await ensureBrowser({ log: (line) => process.stderr.write(`${line}\n`) });
  process.env.CER_TEST_NO_BROWSER = found.path === undefined ? found.reason : '';
}
