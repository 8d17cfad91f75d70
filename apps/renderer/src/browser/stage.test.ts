import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeStage, type Stage } from './stage.js';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the stage', () => {
  let umask: number;
  let stage: Stage | undefined;

  beforeEach(() => {
    umask = process.umask(0o077);
  });

  afterEach(() => {
    process.umask(umask);
    stage?.remove();
  });

  it('is readable under any umask, homes only by their owner', () => {
    stage = makeStage({ kind: 'root', uid: process.getuid?.() ?? 0, prefix: [], flags: [] });
    const home = stage.makeHome();
    const { configFile } = stage.fonts;
    expect([home, dirname(home), dirname(dirname(home))].map(modeOf)).toEqual([0o700, 0o755, 0o755]);
    expect([configFile, dirname(configFile)].map(modeOf)).toEqual([0o644, 0o755]);
    expect(process.umask(umask)).toBe(0o077);
  });

  it('leaves nothing where it cannot be made', () => {
    const top = mkdtempSync(join(tmpdir(), 'stage-test-'));
    // Room for the folder, not for the names of the fonts: a path has at most 4096 bytes.
    let folder = top;
    while (folder.length < 4040) folder = join(folder, 'f'.repeat(Math.min(200, 4050 - folder.length)));
    mkdirSync(folder, { recursive: true });
    try {
      expect(() => makeStage({ kind: 'root', uid: 0, prefix: [], flags: [] }, folder)).toThrow('ENAMETOOLONG');
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(top, { recursive: true });
    }
  });
});
