import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { root } from './npm-start.js';

/**
 * Features that at least one of CockroachDB, YugabyteDB and Citus lacks or does differently, and where they are used
 * nevertheless.
 */
const CONSTRUCTS: readonly { readonly name: string; readonly found: RegExp; readonly usedIn: readonly string[] }[] = [
  { name: 'advisory lock', found: /\bpg_(try_)?advisory/i, usedIn: [] },
  { name: 'several inserts in one statement', found: /\binsert\s+into\b.*\binsert\s+into\b/is, usedIn: [] },
  {
    name: 'insert, update or delete within a query',
    found: /\bas\s*\(\s*(insert|update|delete)\b/i,
    usedIn: [],
  },
  { name: 'sequence function', found: /\b(nextval|currval|setval|lastval)\s*\(/i, usedIn: [] },
  { name: 'notification', found: /^\s*(listen|notify)\s|\bpg_notify\b/i, usedIn: [] },
  { name: 'physical row address', found: /\b(ctid|xmin|xmax)\b/i, usedIn: [] },
  { name: 'temporary table', found: /\bcreate\s+(temp|temporary)\b/i, usedIn: [] },
  { name: 'cursor', found: /\bdeclare\s+\w+\s+cursor\b/i, usedIn: [] },
  { name: 'anonymous block', found: /^\s*do\s+\$/i, usedIn: [] },
  {
    name: 'table lock',
    found: /\block\s+table\b/i,
    usedIn: ['apps/node/src/store/sql/first-visibility.ts', 'apps/node/src/store/sql/legal-holds.ts'],
  },
  {
    name: 'vacuum of PostgreSQL',
    found: /\bvacuum\s+full\b/i,
    usedIn: ['apps/node/src/store/postgres/postgres-database.ts'],
  },
  {
    name: 'function in PL/pgSQL',
    found: /\blanguage\s+plpgsql\b/i,
    usedIn: [
      'apps/node/src/store/migrations/0003-administration.ts',
      'apps/node/src/store/migrations/0006-signing-keys.ts',
      'apps/node/src/store/migrations/0012-log.ts',
    ],
  },
];

/** Every text of a source file; what a template inserts reads as a blank. */
function textsOf(path: string): readonly string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      texts.push([node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(' '));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

describe('the SQL of all services', () => {
  const sources = execFileSync('git', ['ls-files', 'apps/*/src/*.ts', 'packages/*/src/*.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = sources
    .trim()
    .split('\n')
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path));
  const texts = files.map((path) => ({ path, texts: textsOf(join(root, path)) }));

  it('is found', () => {
    const withInserts = texts.filter((file) => file.texts.some((text) => /\binsert\s+into\b/i.test(text)));
    expect(withInserts.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'apps/node/src/store/postgres/batch-insert.ts',
        'apps/bridge/src/store/ingests.ts',
        'apps/node/src/store/sqlite/sqlite-database.ts',
      ]),
    );
  });

  it.each(CONSTRUCTS)('uses no $name, but where docs/scale.md says', ({ found, usedIn }) => {
    expect(texts.filter((file) => file.texts.some((text) => found.test(text))).map(({ path }) => path)).toEqual(usedIn);
    const scale = readFileSync(join(root, 'docs', 'scale.md'), 'utf8');
    for (const path of usedIn) expect(scale).toContain(path.split('/').at(-1));
  });
});
