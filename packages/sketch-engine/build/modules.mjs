// Compiles the folder assembly to dist/math.wasm and dist/png.wasm. The build fails unless the module of Math has its
// pinned digest: every build of this source gives the same bytes, and certificates rest on them.
import asc from 'assemblyscript/asc';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub'];

const { sha256: pinned } = JSON.parse(readFileSync(join(ROOT, 'math-module.json'), 'utf8'));

mkdirSync(DIST, { recursive: true });
const math = join(DIST, 'math.wasm');
if (!existsSync(math) || digestOf(readFileSync(math)) !== pinned) {
  const module = await compile('math.ts', '--noExportMemory');
  const digest = digestOf(module);
  if (digest !== pinned) throw new Error(`math.wasm has the digest ${digest}, and math-module.json pins ${pinned}`);
  replace(math, module);
}
replace(join(DIST, 'png.wasm'), await compile('png/png.ts', '--enable', 'simd'));

/** @returns {Promise<Uint8Array>} */
async function compile(entry, ...flags) {
  let module;
  const { error, stderr } = await asc.main([entry, ...FLAGS, ...flags, '--outFile', 'out.wasm'], {
    readFile: (name) => {
      const path = join(ROOT, 'assembly', name);
      return existsSync(path) ? readFileSync(path, 'utf8') : null;
    },
    writeFile: (name, contents) => {
      if (name === 'out.wasm') module = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`assembly/${entry}: ${stderr.toString()}`, { cause: error });
  return module;
}

function replace(path, bytes) {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, bytes);
  renameSync(fresh, path);
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
