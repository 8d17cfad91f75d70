import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { root } from './npm-start.js';

// Runs scripts/bundle.mjs, the end of a service's build, on a sample service.

const scratch = mkdtempSync(join(tmpdir(), 'cer-bundle-'));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

it.each(['src', 'dist'])('bundles a service that finds its files, in a checkout below a folder %s', (above) => {
  const checkout = join(scratch, above, 'checkout');
  const service = join(checkout, 'apps', 'sample');
  mkdirSync(join(service, 'src', 'inner'), { recursive: true });
  for (const name of ['bundle.mjs', 'sources-plugin.mjs']) {
    cpSync(join(root, 'scripts', name), join(checkout, 'scripts', name));
  }
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const url = "new URL('../../package.json', import.meta.url).pathname";
  writeFileSync(join(service, 'src', 'inner', 'file.ts'), `export const found: string = ${url};\n`);
  writeFileSync(join(service, 'src', 'main.ts'), "import { found } from './inner/file.js';\nconsole.log(found);\n");
  writeFileSync(join(service, 'package.json'), '{ "type": "module" }');
  execFileSync(process.execPath, [join(checkout, 'scripts', 'bundle.mjs'), 'src/main.ts'], { cwd: service });
  // The folder may be moved.
  const moved = join(scratch, above, 'moved');
  renameSync(checkout, moved);
  const main = join(moved, 'apps', 'sample', 'dist', 'main.js');
  const said = execFileSync(process.execPath, [main], { encoding: 'utf8' });
  expect(said).toBe(`${join(moved, 'apps', 'sample', 'package.json')}\n`);
});

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

const SERVICES = ['node', 'renderer', 'verifier', 'bridge', 'dashboard', 'witness'];

/** All code of a built service. */
function codeOf(service: string): string {
  const dist = join(root, 'apps', service, 'dist');
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(dist, file), 'utf8'))
    .join('\n');
}

// The bill of materials and THIRD_PARTY_NOTICES.md list what services run on, and images have the licences of these.
it.each(SERVICES)('bundles no tool for development into the %s', (name) => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  // The bundler's comments name the file of each part.
  const places = [...codeOf(name).matchAll(/^ *\/\/ (?:\.\.\/)*((?:node_modules\/(?:@[\w.-]+\/)?[\w.-]+\/)+)/gm)];
  const packages = [...new Set(places.map(([, place = '']) => place.slice(0, -1)))];
  expect(packages).toContain('node_modules/zod');
  const lockOf = (place: string): Locked | undefined => lock.packages[place] ?? lock.packages[`apps/${name}/${place}`];
  expect(packages.filter((place) => lockOf(place)?.dev !== undefined || lockOf(place)?.devOptional)).toEqual([]);
});

// `import { z } from 'zod'` brings 50 languages, 550 KB that every start compiles; `import * as z` brings one.
it.each(SERVICES)("bundles zod's messages in English alone into the %s", (name) => {
  const languages = [...codeOf(name).matchAll(/^ *\/\/ .*\/zod\/v4\/locales\/([\w-]+)\.js$/gm)];
  expect(languages.map(([, language]) => language)).toEqual(['en']);
});
