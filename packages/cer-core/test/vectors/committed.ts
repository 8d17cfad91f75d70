import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseFile, CaseFiles } from './observe.js';

export const VECTORS_FOLDER = join(__dirname, '../../vectors');

/** Folders of cases, in order; `independent` holds another project's outputs. */
export function committedNames(): readonly string[] {
  return readdirSync(VECTORS_FOLDER)
    .filter((name) => name !== 'independent' && statSync(join(VECTORS_FOLDER, name)).isDirectory())
    .sort();
}

/** The files of one folder by name. */
export function committedFiles(name: string): ReadonlyMap<string, string> {
  const folder = join(VECTORS_FOLDER, name);
  return new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

export function committedCases(): readonly CaseFiles[] {
  return committedNames().map((name) => {
    const files = committedFiles(name);
    const read = (file: string): unknown => JSON.parse(files.get(file) ?? 'null');
    return {
      name,
      case: read('case.json') as CaseFile,
      bundleText: files.get('bundle.json') ?? '',
      keySet: read('key-set.json'),
      expected: read('expected.json') as CaseFiles['expected'],
    };
  });
}
