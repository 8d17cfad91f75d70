import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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
    const environment = { BENCH_DATABASE: join(folder, `${name}.sqlite`) };
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
  });
});
