// Bundles the targets from sources, with a counter in every statement and branch of the project's own code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform } from 'esbuild';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { sourcesOf } from '../scripts/sources-plugin.mjs';

const root = join(import.meta.dirname, '..');

const instrumented = {
  name: 'instrumented',
  setup({ onLoad }) {
    onLoad({ filter: /\/(packages|apps)\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'ts', target: 'es2022' });
      const instrumenter = createInstrumenter({ esModules: true, compact: true, coverageVariable: '__counters__' });
      return { contents: instrumenter.instrumentSync(code, path), loader: 'js' };
    });
  },
};

/** @param {string} outfile where the bundle is written, an ES module that exports TARGETS */
export async function bundleTargets(outfile) {
  await build({
    entryPoints: [join(root, 'fuzz', 'targets.mjs')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [sourcesOf(root), instrumented],
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  });
}
