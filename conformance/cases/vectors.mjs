// The test vectors of verification: one case for each test of each family.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', 'packages', 'cer-core', 'vectors');

export function vectorCases() {
  const families = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
  return families.flatMap(({ family, keySets, tests }) =>
    tests.map(({ id, heading, rule, kind, bundle, options, keySet, expected }) => {
      const isRefused = expected.status === undefined || expected.status === 'FAILED';
      return {
        id: isRefused ? `${family}/${id}_fail` : `${family}/${id}`,
        heading,
        rule,
        command: 'verify',
        file: { kind, bundle, options, keySet: keySet === null ? null : keySets[keySet] },
        expected,
      };
    }),
  );
}
