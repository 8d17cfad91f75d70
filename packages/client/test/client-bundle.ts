import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const packages = join(__dirname, '../..');

/** The client as others install it, bundled from the sources for programs that tests start. */
export class ClientBundle {
  readonly #folder = mkdtempSync(join(tmpdir(), 'cer-client-bundle-'));

  /** @param entry a file under `src`, without its ending. @returns the path of its bundle */
  async of(entry: string): Promise<string> {
    const outfile = join(this.#folder, `${entry}.mjs`);
    await build({
      entryPoints: [join(packages, 'client/src', `${entry}.ts`)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
      alias: {
        ...Object.fromEntries(
          ['client', 'cer-core', 'keys'].map((name) => [
            `#${name}-platform`,
            join(packages, name, 'src/platform/node.ts'),
          ]),
        ),
        '@cer/canonical-json': join(packages, 'canonical-json/src/index.ts'),
        '@cer/cer-core/seal': join(packages, 'cer-core/src/seal.ts'),
        '@cer/keys': join(packages, 'keys/src/index.ts'),
      },
    });
    return outfile;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
