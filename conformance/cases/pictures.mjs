// PNG files and the certificates in them: one case for each of packages/cer-core/vectors/pictures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, '..', '..', 'packages', 'cer-core', 'vectors', 'pictures', 'pictures.json');

export function pictureCases() {
  const { heading, keySet, tests } = JSON.parse(readFileSync(FILE, 'utf8'));
  return tests.map(({ id, rule, picture, expected }) => {
    const isRefused = expected.refused !== undefined || expected.status === 'FAILED';
    return {
      id: `picture/${id}${isRefused ? '_fail' : ''}`,
      heading,
      rule,
      command: 'picture',
      file: { picture, keySet },
      expected,
    };
  });
}
