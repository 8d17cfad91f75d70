// `tsc` of TypeScript 7. node_modules/.bin/tsc may be the one of TypeScript 6, which the linter's packages bring: of two
// packages with a command of one name, npm links either.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(import.meta.url);
const typescript = dirname(resolve('typescript-7/package.json'));

await import(pathToFileURL(join(typescript, 'bin', 'tsc')).href);
