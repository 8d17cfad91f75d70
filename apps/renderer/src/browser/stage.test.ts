import { statSync } from 'node:fs';
import { dirname } from 'node:path';
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
});
