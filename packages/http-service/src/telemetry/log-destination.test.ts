import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logDestination } from './log-destination.js';

describe('the destination of log lines', () => {
  it('drops lines when the disk is full', async () => {
    const full = openSync('/dev/full', 'w');
    const destination = logDestination(full);
    const failing = once(destination, 'drop').catch((error: unknown) => error);
    destination.write('a line\n');
    expect(await failing).toMatchObject({ code: 'ENOSPC' });
    destination.write('another line\n');
    destination.flushSync();
    closeSync(full);
  });

  it('writes all lines at the end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cer-log-'));
    const path = join(folder, 'log');
    const destination = logDestination(openSync(path, 'a'));
    destination.write('a line\n');
    destination.write('another line\n');
    destination.flushSync();
    destination.end();
    await once(destination, 'close');
    // The flush may overtake a write in progress, so the order is open.
    expect(readFileSync(path, 'utf8').trimEnd().split('\n').sort()).toEqual(['a line', 'another line']);
    rmSync(folder, { recursive: true });
  });
});
