import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** The repository's commands with their files. `types` is tsc, and `deps` ends with `licences.mjs` after other programs. */
const COMMANDS = Object.entries(scripts).flatMap(([name, line]): [string, string][] => {
  const [, script] = /(?:^|&& )node (\S+\.mjs)$/.exec(line) ?? [];
  if (script === undefined || name === 'deps') return [];
  return [[['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`, script]];
});
/** Files that are run by themselves, or by a script of a workspace. */
const FILES = [
  'bench/scale.mjs',
  'bench/timestamp-scale.mjs',
  'scripts/certify-release.mjs',
  'scripts/folder-circles.mjs',
  'scripts/licences.mjs',
  'scripts/make-sample-certificates.mjs',
];
/** Hand options on to another program, which names those that it does not have. */
const HAND_ON = ['npm test', 'npm run test:go', 'npm run test:openapi'];

function run(script: string, ...options: readonly string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, script), ...options], {
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

it('knows the commands of package.json', () => {
  expect(COMMANDS.length).toBeGreaterThan(20);
});

describe.each(COMMANDS)('%s', (command, script) => {
  it('shows what it does, its options and an example', () => {
    const { status, text } = run(script, '--help');
    expect(status).toBe(0);
    const [usage, ...rest] = text.trimEnd().split('\n');
    expect(rest.length).toBeGreaterThan(0);
    if (usage === command) return;
    expect(usage).toMatch(new RegExp(`^${command} -- [[-]`));
    expect(rest.at(-1)).toMatch(new RegExp(`^  ${command} -- \\S`));
  });

  if (HAND_ON.includes(command)) return;
  it('names an option that it does not have', () => {
    const { status, text } = run(script, '--unheard-of');
    expect(status).toBe(3);
    expect(text).toMatch(/^Unknown option '--unheard-of'/);
    expect(text).toContain(`\n${command}`);
  });
});

it.each(FILES)('%s shows its help, and names an option that it does not have', (file) => {
  expect(run(file, '--help')).toEqual({ status: 0, text: expect.stringContaining(`node ${file}`) });
  const { status, text } = run(file, '--unheard-of');
  expect([status, text]).toEqual([3, expect.stringMatching(/^Unknown option '--unheard-of'/)]);
});

it.each([
  ['torture/run.mjs', '--seconds', 'ten'],
  ['torture/several-nodes.mjs', '--clients', '0'],
  ['soak/run.mjs', '--minutes', 'ten'],
  ['fuzz/run.mjs', '--seconds', '-1'],
  ['bench/run.mjs', '--records', '5'],
])('names the number that %s cannot read: %s %s', (script, option, value) => {
  const { status, text } = run(script, `${option}=${value}`);
  expect(status).toBe(3);
  expect(text).toMatch(new RegExp(`^${option}: must be a number, \\d+ or more\n$`));
});

it.each([
  ['bench/run.mjs', '--only=unheard-of'],
  ['conformance/run.mjs', '--impl=node', '--only=unheard-of'],
  ['fuzz/run.mjs', 'unheard-of'],
  ['mutation/run.mjs', 'unheard-of'],
  ['scripts/gallery.mjs', '--sketch=unheard-of'],
  ['scripts/images.mjs', 'unheard-of'],
  ['scripts/test/machines.mjs', '--sketch=unheard-of'],
])('lists the names that %s knows beside %s', (script, ...options) => {
  const { status, text } = run(script, ...options);
  expect(status).toBe(3);
  expect(text).toMatch(/^unknown .*\. Choose from \S+, .*\n$/);
});
