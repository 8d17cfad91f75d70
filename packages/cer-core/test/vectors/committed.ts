import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Family } from './family.js';
import type { LoadedCase } from './observe.js';

export const VECTORS_FOLDER = join(__dirname, '../../vectors');

/** The text of each family file by its name without `.json`. */
export function committedFamilies(): ReadonlyMap<string, string> {
  const files = readdirSync(VECTORS_FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [file.slice(0, -'.json'.length), readFileSync(join(VECTORS_FOLDER, file), 'utf8')]),
  );
}

/** The tests of all families, each with its key set. */
export function committedCases(): readonly LoadedCase[] {
  return [...committedFamilies().values()].flatMap((text) => {
    const { keySets, tests } = JSON.parse(text) as Family;
    return tests.map((test) => ({ ...test, keySet: test.keySet === null ? null : keySets[test.keySet] }));
  });
}

/** @throws Error when no family has a test of this id */
export function committedCase(id: string): LoadedCase {
  const found = committedCases().find((test) => test.id === id);
  if (found === undefined) throw new Error(`no vector ${id}`);
  return found;
}
