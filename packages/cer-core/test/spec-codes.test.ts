import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { CER_VERIFY_CODES } from '../src/index.js';

const specification = readFileSync(join(__dirname, '../../../docs/spec.md'), 'utf8');

/** The text under a heading, up to the next one of any level. */
function sectionOf(heading: string): string {
  const [, section = ''] = specification.split(new RegExp(`^#+ ${heading}$`, 'm'));
  return section.split(/^#+ /m)[0] ?? '';
}

describe('"Verification codes" in docs/spec.md', () => {
  it('lists all codes in order of precedence', () => {
    const rows = sectionOf('Verification codes')
      .split('\n')
      .map((line) => /^\| (`[^|]+`) +\|/.exec(line)?.[1] ?? '');
    const listed = rows.flatMap((cell) => [...cell.matchAll(/`([A-Z0-9_]+)`/g)].map(([, code = '']) => code));
    expect(listed).toEqual([...CER_VERIFY_CODES]);
  });
});
