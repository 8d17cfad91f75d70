import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

// Runs the step of infra/github-action as a runner does: its command, with its inputs as variables.

const ROOT = join(__dirname, '../../..');
const ACTION = join(ROOT, 'infra/github-action');
const CER = `${process.execPath} ${join(ROOT, 'apps/cli/bin/cer.js')}`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cer-action-'));
  const samples = join(ROOT, 'examples/certificates');
  cpSync(join(samples, 'certified.json'), join(folder, 'one certificate.json'));
  cpSync(join(samples, 'keys.json'), join(folder, 'keys.json'));
  cpSync(join(samples, 'sealed.json'), join(folder, 'unsigned.json'));
  const text = readFileSync(join(samples, 'certified.json'), 'utf8');
  writeFileSync(join(folder, 'changed.json'), text.replace('"model": "', '"model": "x'));
  expect(readFileSync(join(folder, 'changed.json'), 'utf8')).not.toBe(text);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The command of the only step. */
function command(): string {
  const found = [...readFileSync(join(ACTION, 'action.yml'), 'utf8').matchAll(/^ +run: (.+)$/gm)].map(([, run]) => run);
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

function run(files: string, env: Readonly<Record<string, string>> = {}): readonly [number | null, string[]] {
  const { status, stdout } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', command()], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '',
      GITHUB_ACTION_PATH: ACTION,
      FILES: files,
      KEYS: 'keys.json',
      NODE_ID: '',
      CER,
      ...env,
    },
  });
  return [status, stdout.trimEnd().split('\n')];
}

describe('the GitHub action', () => {
  it('passes for certificates that verify', () => {
    expect(run('one certificate.json\n')).toEqual([0, ['1 verified, 0 failed']]);
  });

  it('annotates each certificate that fails, and fails', () => {
    expect(run('one*.json\nchanged.json\nunsigned.json')).toEqual([
      1,
      [
        '::error file=changed.json::CERTIFICATE_HASH_MISMATCH',
        '::error file=unsigned.json::ATTESTATION_MISSING',
        '1 verified, 2 failed',
      ],
    ]);
  });

  it('takes no name of a file for a flag or an annotation', () => {
    writeFileSync(join(folder, '--help'), '{}');
    writeFileSync(join(folder, 'x\n::error::y, 100%'), '{}');
    const [status, lines] = run('--help\nx*');
    expect(status).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^::error file=\.\/--help::/),
      expect.stringMatching(/^::error file=x%0A%3A%3Aerror%3A%3Ay%2C 100%25::/),
      '0 verified, 2 failed',
    ]);
  });

  it('fails when no file matches', () => {
    expect(run('none/**/*.json')).toEqual([1, ['::error::no file matches none/**/*.json', '0 verified, 1 failed']]);
  });

  it('fails for a certificate of another node', () => {
    const [status, lines] = run('one certificate.json', { NODE_ID: 'another-node' });
    expect([status, lines.at(-1)]).toEqual([1, '0 verified, 1 failed']);
  });

  it('says why no certificate could be verified', () => {
    expect(run('one certificate.json', { KEYS: 'nowhere.json' })).toEqual([
      1,
      ['::error file=one certificate.json::cer: nowhere.json: no such file', '0 verified, 1 failed'],
    ]);
  });

  it('states every input that its step reads', () => {
    const text = readFileSync(join(ACTION, 'action.yml'), 'utf8');
    const read = [...text.matchAll(/\$\{\{ inputs\.(\w+) \}\}/g)].map(([, name]) => name);
    const stated = [...text.slice(0, text.indexOf('runs:')).matchAll(/^ {2}(\w+):$/gm)].map(([, name]) => name);
    expect(read).toEqual(stated);
  });
});
