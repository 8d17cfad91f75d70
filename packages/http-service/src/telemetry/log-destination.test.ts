import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logDestination } from './log-destination.js';

describe('the destination of log lines', () => {
  it('drops lines when the disk is full', () => {
    const destination = logDestination(openSync('/dev/full', 'w'));
    destination.write('a line\n');
    destination.write('another line\n');
    // Must return: the last write fails however often it is repeated.
    destination.flushSync();
  });

  it('writes all lines in order', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cer-log-'));
    const path = join(folder, 'log');
    const destination = logDestination(openSync(path, 'a'));
    const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}\n`);
    for (const line of lines) destination.write(line);
    const written = (): string => readFileSync(path, 'utf8');
    while (written().length < lines.join('').length) await new Promise((resolve) => setImmediate(resolve));
    expect(written()).toBe(lines.join(''));
    rmSync(folder, { recursive: true });
  });

  it('writes waiting lines at the end', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cer-log-'));
    const path = join(folder, 'log');
    const destination = logDestination(openSync(path, 'a'));
    // The first line is written in the background; the others wait.
    for (const line of ['a\n', 'b\n', 'c\n']) destination.write(line);
    destination.flushSync();
    expect(readFileSync(path, 'utf8')).toContain('b\nc\n');
    rmSync(folder, { recursive: true });
  });
});
