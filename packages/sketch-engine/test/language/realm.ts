import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext, type Context } from 'node:vm';

/** The script that defines `listMembers(names)` in any realm. */
export const LIST_MEMBERS = readFileSync(join(__dirname, 'list-members.js'), 'utf8');

/** A realm with the language of sketches; its global `limits` counts the limits that were noted. */
export async function pinnedRealm(): Promise<Context> {
  const source = join(__dirname, '../../src/language/pin-realm.ts');
  const built = await build({
    stdin: {
      contents: `import { pinRealm } from ${JSON.stringify(source)}; globalThis.limits = 0; pinRealm(() => { globalThis.limits++; });`,
      resolveDir: __dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
    banner: { js: 'let __catches;' },
  });
  const realm = createContext({});
  runInContext(built.outputFiles[0]?.text ?? '', realm);
  return realm;
}

export function evaluate(realm: Context, script: string): unknown {
  return runInContext(script, realm);
}
