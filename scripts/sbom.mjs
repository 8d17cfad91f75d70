// npm run sbom
// Writes a CycloneDX bill of materials for each service and for the command line to .data/sbom.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './setup/options.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.data', 'sbom');
const TOOL = join(root, 'node_modules', '@cyclonedx', 'cyclonedx-npm', 'bin', 'cyclonedx-npm-cli.js');
const DEPLOYED = ['node', 'renderer', 'verifier', 'bridge', 'dashboard', 'witness', 'cli'];

readOptions(import.meta.filename);
mkdirSync(folder, { recursive: true });
for (const name of DEPLOYED) {
  const file = join(folder, `${name}.cdx.json`);
  const options = ['--omit', 'dev', '--workspace', `@cer/${name}`, '--output-reproducible', '--output-file', file];
  const { status } = spawnSync(process.execPath, [TOOL, ...options], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  console.log(file);
}
