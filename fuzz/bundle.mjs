// Bundles the targets from sources, with a counter in every statement and branch of the project's own code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform } from 'esbuild';
import { createInstrumenter } from 'istanbul-lib-instrument';

const root = join(import.meta.dirname, '..');

/** `@cer/keys` is packages/keys/src/index.ts, `@cer/keys/signer` its signer.ts, `#keys-platform` its file for Node.js. */
const sources = {
  name: 'sources',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@cer\/[a-z0-9-]+(\/[a-z-]+)?$/ }, ({ path }) => {
      const [, name, part = 'index'] = path.split('/');
      return { path: join(root, 'packages', name, 'src', `${part}.ts`) };
    });
    onResolve({ filter: /^#[a-z-]+-platform$/ }, ({ path }) => ({
      path: join(root, 'packages', path.slice(1, -'-platform'.length), 'src', 'platform', 'node.ts'),
    }));
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
    plugins: [sources],
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  });
}
