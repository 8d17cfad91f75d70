// Compiles assembly/math.ts to dist/math.wasm, and fails unless the module has its pinned digest: every build of this
// source gives the same bytes, and certificates rest on them.
import asc from 'assemblyscript/asc';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const TARGET = join(ROOT, 'dist', 'math.wasm');
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub', '--noExportMemory'];

const { sha256: pinned } = JSON.parse(readFileSync(join(ROOT, 'math-module.json'), 'utf8'));

if (!existsSync(TARGET) || digestOf(readFileSync(TARGET)) !== pinned) {
  const module = await compile();
  const digest = digestOf(module);
  if (digest !== pinned) throw new Error(`math.wasm has the digest ${digest}, and math-module.json pins ${pinned}`);
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const fresh = `${TARGET}.${process.pid}`;
  writeFileSync(fresh, module);
  renameSync(fresh, TARGET);
}

/** @returns {Promise<Uint8Array>} */
async function compile() {
  let module;
  const { error, stderr } = await asc.main(['math.ts', ...FLAGS, '--outFile', 'math.wasm'], {
    readFile: (name) => {
      return name === 'math.ts' ? readFileSync(join(ROOT, 'assembly', name), 'utf8') : null;
    },
    writeFile: (name, contents) => {
      if (name === 'math.wasm') module = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`assembly/math.ts: ${stderr.toString()}`, { cause: error });
  return module;
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
