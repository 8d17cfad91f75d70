import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from './npm-start.js';

const BENCH = join(root, 'bench');

/** They are compared with the node, and made by hand: a change of the node's parts must not leave one behind. */
describe('the servers of npm run bench', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(['node-without-store', 'floor', 'plain-stack'])('certify: %s', (name) => {
    const words = [join(BENCH, 'servers', `${name}.mjs`)];
    const temporary = join(folder, `temporary files of ${name}`);
    mkdirSync(temporary);
    const environment = { BENCH_DATABASE: join(folder, `${name}.sqlite`), TMPDIR: temporary };
    const said = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { CERTIFY_BODY, PLAIN_KEY, start } from ${JSON.stringify(pathToFileURL(join(BENCH, 'certify.mjs')).href)};
         const { child, url, apiKey } = await start(${JSON.stringify(words)}, ${JSON.stringify(environment)}, PLAIN_KEY);
         const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + apiKey };
         const { status } = await fetch(url + '/v1/cer/ai/certify', { method: 'POST', headers, body: CERTIFY_BODY });
         console.log(status);
         child.kill('SIGKILL');`,
      ],
      { cwd: root, encoding: 'utf8' },
    );
    expect(said).toBe('200\n');
    expect(readdirSync(temporary)).toEqual([]);
  });
});

it('npm run bench -- --write changes the rows of its own table alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
  const file = join(folder, 'performance.md');
  const other = '| goal | above |\n| ---- | ----- |\n| G3 certify | 0.5 |\n| G1, 1 KB | 2.1 |\n';
  const heading = '| goal | ratio | measured | goal | | date | machine | load |\n|' + ' - |'.repeat(8);
  writeFileSync(file, `${heading}\n| G3 | certify | 0.5 | | | | | |\n| G5 | kept | 9 | | | | | |\n\n${other}`);
  const run = {
    env: { loadavgBefore: [1], loadavgAfter: [2], cpu: 'cpu', node: 'v0' },
    ratios: [{ id: 'G3', title: 'certify', value: 0.61, goal: 0.6, atMost: false, pass: true }],
  };
  const report = pathToFileURL(join(BENCH, 'report.mjs')).href;
  const program = `import { writeGoals } from ${JSON.stringify(report)}; await writeGoals(${JSON.stringify(file)}, ${JSON.stringify(run)});`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: root });
  const rows = readFileSync(file, 'utf8').replaceAll(/ +/g, ' ').split('\n').slice(2);
  rmSync(folder, { recursive: true });
  expect(rows[0]).toMatch(/^\| G3 \| certify \| 0\.61 \| at least 0\.6 \| reached \|/);
  expect(rows[1]).toBe('| G5 | kept | 9 | | | | | |');
  expect(rows.slice(5)).toEqual(['| G3 certify | 0.5 |', '| G1, 1 KB | 2.1 |', '']);
});
