import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext, type Context } from 'node:vm';

/** The script that defines `listMembers(names)` in any realm. */
export const LIST_MEMBERS = readFileSync(join(__dirname, 'list-members.js'), 'utf8');

/** Makes any realm one with the language of sketches; its global `limits` counts the limits that were noted. */
export async function pinningScript(): Promise<string> {
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
  return built.outputFiles[0]?.text ?? '';
}

/** @param before what is different in this engine */
export async function pinnedRealm(before = ''): Promise<Context> {
  const realm = createContext({});
  runInContext(before, realm);
  runInContext(await pinningScript(), realm);
  return realm;
}

export function evaluate(realm: Context, script: string): unknown {
  return runInContext(script, realm);
}
