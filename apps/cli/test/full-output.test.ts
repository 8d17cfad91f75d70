import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sample } from '../src/testing/files.js';

// The built command, and a device on which every write fails as on a full disk.

const BIN = join(__dirname, '..', 'bin', 'cer.js');
const VERIFY = ['verify', sample('certified.json'), '--keys', sample('keys.json')];

function run(args: readonly string[], full: 'stdout' | 'both'): { status: number | null; stderr: string | null } {
  const device = openSync('/dev/full', 'w');
  const stdio = ['ignore' as const, device, full === 'both' ? device : ('pipe' as const)];
  const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], { stdio, encoding: 'utf8' });
  closeSync(device);
  return { status, stderr };
}

describe('output without room', () => {
  it.each([[VERIFY], [['help']]])('fails with one report and no stack trace: %s', (args) => {
    const { status, stderr } = run(args, 'stdout');
    expect(status).toBe(1);
    expect(JSON.parse(stderr ?? '')).toEqual({
      ...{ status: 'FAILED', checks: {}, reason: 'UNKNOWN_ERROR' },
      detail: 'standard output could not be written (ENOSPC)',
    });
  });

  it('fails when no stream can be written', () => {
    expect(run(VERIFY, 'both').status).toBe(1);
  });
});
