import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from './npm-start.js';

// The short form of `npm run torture`: two nodes on one PostgreSQL with a witness and a spooling client,
// killed under load, then judged by SQL and the verifier.

it('loses and doubles nothing when processes are killed under load', async () => {
  const args = [
    '--small',
    '--kills',
    '3',
    '--seconds',
    '60',
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
  const facts = JSON.parse(/^\{\n.*^\}$/ms.exec(stdout)?.[0] ?? '{}') as { readonly acknowledged?: number };
  expect(facts.acknowledged).toBeGreaterThan(0);
}, 600_000);
