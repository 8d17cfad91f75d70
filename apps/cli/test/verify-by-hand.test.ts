import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { keyFingerprint, parseKeySet } from '@cer/keys';
import { Folder, readSample } from '../src/testing/files.js';

// Runs docs/verify-by-hand.md as written: every command, in order, in one folder, against its printed output.

const CHECKOUT = join(__dirname, '..', '..', '..');
const page = readFileSync(join(CHECKOUT, 'docs', 'verify-by-hand.md'), 'utf8');

const steps = [...page.matchAll(/^```sh\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?/gms)].map(
  ([, commands = '', printed = '']) => ({ commands, printed }),
);

const PROGRAMS = ['bash', 'jq', 'sha256sum', 'base64', 'openssl', 'sed', 'tr', 'od'];
const missing = PROGRAMS.filter((program) => spawnSync(program, ['--version']).error !== undefined);

const folder = new Folder();
afterAll(() => {
  folder.remove();
});

describe('docs/verify-by-hand.md', () => {
  it('states hash and fingerprint of the sample as they are', () => {
    const [entry] = parseKeySet(readSample('keys.json')).entries.values();
    const fingerprint = entry?.key.usable === true ? keyFingerprint(entry.key.publicKey) : 'none';
    expect(steps.length).toBeGreaterThan(9);
    const { certificateHash } = readSample('certified.json');
    expect(typeof certificateHash === 'string' && page.includes(`\n${certificateHash}\n`)).toBe(true);
    expect(page).toContain(`\n${fingerprint.replace('sha256:', '')}  -\n`);
  });

  // A machine with only Node.js can still run the tests; there the commands are not run.
  if (missing.length === 0) {
    it.each(steps.map(({ commands, printed }, at) => ({ step: at + 1, commands, printed })))(
      'step $step prints what the page says',
      ({ commands, printed }) => {
        // Without its start-up file, which bash reads where its input is a socket and SHLVL is not set.
        const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-eu', '-c', commands], {
          cwd: folder.path,
          env: { ...process.env, CHECKOUT },
          encoding: 'utf8',
        });
        expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: printed, stderr: '' });
      },
    );
  }
});
