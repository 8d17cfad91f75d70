import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from './npm-start.js';

// The short form of `npm run torture`: two nodes on one PostgreSQL with a witness, a renderer and a spooling client. The
// renderer, while it draws, a node and PostgreSQL are killed under load; then SQL and the verifier judge.

interface Facts {
  readonly acknowledged?: number;
  readonly renders?: number;
  readonly noRenderer?: string;
  readonly spooled?: number;
}

it('loses and doubles nothing when processes are killed under load', async () => {
  const args = [
    '--small',
    '--kills',
    '3',
    '--first',
    'renderer,node,postgres',
    '--seconds',
    '300',
    '--nodes',
    '2',
    '--clients',
    '4',
    '--seed',
    '5',
    '--quiet',
  ];
  const { error, stdout, stderr } = await new Promise<{ error: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [join(root, 'torture/run.mjs'), ...args], (failure, out, err) => {
      resolve({ error: failure, stdout: out, stderr: err });
    });
  });
  expect({ error, stderr }).toEqual({ error: null, stderr: '' });
  expect(stdout).toMatch(/\n0 breaches\n$/);
  const facts = JSON.parse(/^\{\n.*^\}$/ms.exec(stdout)?.[0] ?? '{}') as Facts;
  expect(facts.acknowledged).toBeGreaterThan(0);
  expect(facts.spooled).toBeGreaterThan(0);
  // Without a browser there is no renderer, and a report of why.
  if (facts.noRenderer === undefined) {
    expect(facts).toMatchObject({ kills: { renderer: 1, node: 1, postgres: 1 }, interruptedRenders: 1 });
    expect(facts.renders).toBeGreaterThanOrEqual(2);
  } else expect(facts.noRenderer).not.toBe('');
}, 600_000);

it('counts a failed build of the independent reader as a breach', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-no-build-'));
  writeFileSync(join(folder, 'go'), '#!/bin/sh\n[ "$1" != build ] || { echo "undefined: x" >&2; exit 1; }\n', {
    mode: 0o755,
  });
  const program = `import { readLogs } from '${join(root, 'torture/independent-reader.mjs')}';
    console.log(JSON.stringify(await readLogs({ nodeUrl: '', policy: '', leaves: 1 })));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
  });
  rmSync(folder, { recursive: true });
  expect(JSON.parse(stdout)).toEqual({ breaches: ['the independent reader is not built: undefined: x'], facts: {} });
});
