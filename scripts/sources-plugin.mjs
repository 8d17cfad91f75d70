// Takes the project's packages from their sources, for bundles that need no build.
import { join } from 'node:path';

/**
 * `@cer/keys` is packages/keys/src/index.ts, `@cer/keys/signer` its signer.ts, `#keys-platform` its file for Node.js.
 * @param {string} root the folder that has `packages`
 * @returns {import('esbuild').Plugin}
 */
export function sourcesOf(root) {
  return {
    name: 'sources',
    setup({ onResolve }) {
      onResolve({ filter: /^@cer\/[a-z0-9-]+(\/[a-z-]+)*$/ }, ({ path }) => {
        const [, name, ...part] = path.split('/');
        const file = part.join('/') || 'index';
        return { path: join(root, 'packages', name, 'src', file === 'testing' ? 'testing/index.ts' : `${file}.ts`) };
      });
      onResolve({ filter: /^#[a-z-]+-platform$/ }, ({ path }) => ({
        path: join(root, 'packages', path.slice(1, -'-platform'.length), 'src', 'platform', 'node.ts'),
      }));
    },
  };
}
