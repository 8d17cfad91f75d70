import { describe, expect, it } from '@jest/globals';
import { createRenderUse } from './render-use.js';

describe('render use', () => {
  it('counts running jobs and halves ended ones each minute', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    const end = use.begin('a', 'loop');
    nowMs = 8000;
    expect([use.usedMs('a'), use.usedMs('b')]).toEqual([8000, 0]);
    end();
    end();
    nowMs += 60_000;
    expect(use.usedMs('a')).toBe(4000);
    use.begin('a', 'still');
    nowMs += 60_000;
    expect(use.usedMs('a')).toBe(2000 + 60_000);
  });

  it('knows slow stills while they run and for five minutes', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    const end = use.begin('a', 'still');
    nowMs = 2999;
    expect(use.isSlow('a')).toBe(false);
    nowMs = 3000;
    expect(use.isSlow('a')).toBe(true);
    end();
    nowMs += 299_999;
    expect(use.isSlow('a')).toBe(true);
    nowMs += 1;
    expect(use.isSlow('a')).toBe(false);
  });

  it('calls no tenant slow for a long loop', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    const end = use.begin('a', 'loop');
    nowMs = 60_000;
    expect(use.isSlow('a')).toBe(false);
    end();
    expect(use.isSlow('a')).toBe(false);
  });

  it('forgets the tenant that was longest without a job', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    use.begin('runs', 'still');
    for (let tenant = 0; tenant < 10_000; tenant++) {
      const end = use.begin(`t${tenant}`, 'still');
      nowMs += 1;
      end();
    }
    expect([use.usedMs('t0'), use.usedMs('runs')]).toEqual([0, 10_000]);
    expect(use.usedMs('t9999')).toBeGreaterThan(0);
  });
});
