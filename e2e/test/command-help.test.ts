import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');

/** Commands of the repository that take options, by their scripts. */
const COMMANDS = {
  'npm run conformance': 'conformance/run.mjs',
  'npm run fuzz': 'fuzz/run.mjs',
  'npm run gallery': 'scripts/gallery.mjs',
  'npm run images': 'scripts/images.mjs',
  'npm run mutation': 'mutation/run.mjs',
  'npm run soak': 'soak/run.mjs',
  'npm run test:machines': 'scripts/test/machines.mjs',
  'npm run torture': 'torture/run.mjs',
};

function run(script: string, option: string): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, script), option], { encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

describe.each(Object.entries(COMMANDS))('%s', (command, script) => {
  it('shows its options and an example', () => {
    const { status, text } = run(script, '--help');
    expect(status).toBe(0);
    expect(text.startsWith(`${command} -- [`) || text.startsWith(`${command} -- --`)).toBe(true);
    expect(text.trimEnd().split('\n').at(-1)).toMatch(new RegExp(`^  ${command} -- \\S`));
  });

  it('names an option that it does not have', () => {
    const { status, text } = run(script, '--unheard-of');
    expect(status).toBe(3);
    expect(text).toContain("Unknown option '--unheard-of'");
    expect(text).toContain(`${command} -- `);
  });
});
