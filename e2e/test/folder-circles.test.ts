import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';

// Runs scripts/folder-circles.mjs, a part of `npm run deps`, on sample workspaces.

const SCRIPT = join(__dirname, '..', '..', 'scripts', 'folder-circles.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'cer-folders-'));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** Runs the check on one package with these files below its src. */
function check(name: string, files: Readonly<Record<string, string>>): { status: number | null; stderr: string } {
  const root = join(scratch, name);
  mkdirSync(join(root, 'apps'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, 'packages', 'sample', 'src', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(join(root, 'packages', 'sample', 'package.json'), '{}');
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, root], { encoding: 'utf8' });
  return { status, stderr };
}

it('accepts folders that import in one direction', () => {
  const files = {
    'main.ts': "import './a/x.js';",
    'a/x.ts': "import '../b/y.js'; import '../errors.js';",
    'b/y.ts': "import '../errors.js';",
    'errors.ts': '',
  };
  expect(check('layers', files)).toEqual({ status: 0, stderr: '' });
});

it('refuses two folders that import each other', () => {
  const { status, stderr } = check('pair', {
    'a/x.ts': "import '../b/y.js';",
    'a/z.ts': '',
    'b/y.ts': '',
    'b/w.ts': "import type { Z } from '../a/z.js';",
  });
  expect(status).toBe(1);
  expect(stderr).toContain('packages/sample/src/: a, b import each other');
  expect(stderr).toContain('b/w.ts -> a/z.ts');
});

it('refuses a circle through a file beside the folders', () => {
  const { status, stderr } = check('file', {
    'in/a/x.ts': "import '../middle.js';",
    'in/a/z.ts': '',
    'in/middle.ts': "export * from './a/z.js';",
  });
  expect(status).toBe(1);
  expect(stderr).toContain('packages/sample/src/in: a, middle.ts import each other');
});

it('leaves tests out', () => {
  const files = { 'a/x.ts': "import '../b/y.js';", 'b/y.ts': '', 'b/y.test.ts': "import '../a/x.js';" };
  expect(check('tests', files)).toEqual({ status: 0, stderr: '' });
});
