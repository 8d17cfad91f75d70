import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const packages = join(__dirname, '../../..');

/** Where package.json sends a browser, in sources: the tests need no build before them. */
const fromSources: Plugin = {
  name: 'from-sources',
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^#.*-platform$/ }, ({ path, importer }) => {
      const workspace = join(packages, importer.slice(packages.length + 1).split('/')[0] ?? '');
      const { imports } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
        readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
      };
      const target = imports[path]?.['browser'] ?? imports[path]?.['default'] ?? '';
      return { path: join(workspace, target.replace('dist', 'src').replace(/\.js$/, '.ts')) };
    });
    esbuild.onResolve({ filter: /^@cer\/(canonical-json|keys)$/ }, ({ path }) => ({
      path: join(packages, path.slice('@cer/'.length), 'src/index.ts'),
    }));
  },
};

/** A script that leaves `cerVectors.runVectors` behind. Fails when anything in it needs a Node builtin. */
export async function bundleForBrowsers(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(__dirname, 'page.ts')],
    bundle: true,
    write: false,
    platform: 'browser',
    conditions: ['browser'],
    format: 'iife',
    globalName: 'cerVectors',
    target: 'es2022',
    absWorkingDir: dirname(packages),
    plugins: [fromSources],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
