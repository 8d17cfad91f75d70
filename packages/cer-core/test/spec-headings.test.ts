import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, it } from '@jest/globals';

// Comments cite the specification by heading; each cited heading must exist.

const root = join(__dirname, '../../..');

const SOURCE_FILE = /\.(?:ts|tsx|mjs)$/;
const GENERATED = new Set(['node_modules', 'dist', '.turbo', '.data']);

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return GENERATED.has(entry.name) ? [] : sourceFiles(path);
    return SOURCE_FILE.test(entry.name) ? [path] : [];
  });
}

/** The headings that follow the name of the document: `"A"`, `"A" and "B"`, `"A", "B"`, also over the end of a line. */
function citedHeadings(source: string): string[] {
  const citation = /docs\/spec\.md,((?:(?:\s|\*|\/\/|,|\band\b)*"[^"\n]+")+)/g;
  return [...source.matchAll(citation)].flatMap(([, list = '']) =>
    [...list.matchAll(/"([^"\n]+)"/g)].map(([, heading = '']) => heading),
  );
}

function headingsOf(markdown: string): string[] {
  return markdown.split('\n').flatMap((line) => {
    const heading = /^#{1,6} (.+)$/.exec(line)?.[1];
    return heading === undefined ? [] : [heading.trim()];
  });
}

describe('docs/spec.md', () => {
  const headings = headingsOf(readFileSync(join(root, 'docs/spec.md'), 'utf8'));
  const files = ['packages', 'apps'].flatMap((folder) => sourceFiles(join(root, folder)));

  it('has every cited heading', () => {
    const known = new Set(headings);
    const dangling = files.flatMap((file) =>
      citedHeadings(readFileSync(file, 'utf8'))
        .filter((heading) => !known.has(heading))
        .map((heading) => `${relative(root, file)}: "${heading}"`),
    );
    expect(dangling).toEqual([]);
  });

  it('is cited at all', () => {
    const citing = files.filter((file) => citedHeadings(readFileSync(file, 'utf8')).length > 0);
    expect(citing.map((file) => relative(root, dirname(file)))).toContain('packages/cer-core/src/verify');
  });

  it('has unique headings', () => {
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  });
});

describe('citedHeadings', () => {
  const document = 'docs/spec.md';

  it('finds several headings, also on the next line', () => {
    expect(citedHeadings(`/** @see ${document}, "One" */`)).toEqual(['One']);
    expect(citedHeadings(`// @see ${document}, "One" and "Two"`)).toEqual(['One', 'Two']);
    expect(citedHeadings(` * @see ${document}, "One" and\n *   "Two"\n */ const text = "three";`)).toEqual([
      'One',
      'Two',
    ]);
  });

  it('ignores other quoted text', () => {
    expect(citedHeadings(`// see ${document}. "One" is a heading`)).toEqual([]);
  });
});
